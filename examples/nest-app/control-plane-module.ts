import { createLiveplane, type Liveplane, type LiveplaneOptions } from "@liveplane/core";
import { type DynamicModule, Module } from "@nestjs/common";

/** What the app's own services inject: `@Inject(LIVEPLANE) liveplane: Liveplane`. */
export const LIVEPLANE = Symbol("liveplane");

class ControlPlaneModule {
  readonly #liveplane: Liveplane;

  constructor(liveplane: Liveplane) {
    this.#liveplane = liveplane;
  }

  /** Ends the event streams before Nest waits for its connections. */
  beforeApplicationShutdown(): Promise<void> {
    return this.#liveplane.drain();
  }

  onApplicationShutdown(): Promise<void> {
    return this.#liveplane.stop();
  }
}

// The same as `@Module({})` above the class, in syntax that Node runs without a compiler.
Module({})(ControlPlaneModule);
Reflect.defineMetadata("self:paramtypes", [{ index: 0, param: LIVEPLANE }], ControlPlaneModule);

/** A module with one control plane, which stops with the app. */
export function controlPlane(options: LiveplaneOptions): DynamicModule {
  const provider = { provide: LIVEPLANE, useFactory: () => createLiveplane(options) };
  return { module: ControlPlaneModule, providers: [provider], exports: [LIVEPLANE] };
}
