import type { Api } from "@liveplane/client";
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { shortPath } from "../board/override-lanes.ts";
import { typedText } from "../parts/typed-text.ts";
import { texts } from "../texts.ts";
import { deployed } from "./deployed.ts";
import {
  type ConsoleComponent,
  type DeployedDefinition,
  type HandBackPlan,
  parametersText,
  withKept,
  withParameters,
} from "./keep-changes.ts";

/** What a deploy would do. */
export type ForeseenDeploy = Awaited<ReturnType<Api["liveSystems"]["planDeploy"]>>;

/** A definition being edited, bound to the version that was read. */
interface Drafted {
  readonly definition: DeployedDefinition;
  readonly version: string;
}

/** The progress of keeping. */
export type KeepingState =
  | { readonly kind: "idle" }
  | ({ readonly kind: "editing" } & Drafted)
  | ({ readonly kind: "planned"; readonly plan: ForeseenDeploy } & Drafted)
  | { readonly kind: "deploying" }
  | { readonly kind: "kept" };

/** The steps that write manual changes into the declaration. */
export interface Keeping {
  readonly state: ReadonlySignal<KeepingState>;
  readonly failure: ReadonlySignal<unknown>;
  /** The edited parameters. */
  readonly text: Signal<string>;
  begin(patch: HandBackPlan["keepPatch"]): Promise<void>;
  edit(text: string): void;
  planIt(): Promise<void>;
  deploy(): Promise<void>;
  leave(): void;
}

/** Creates it for one component. `onKept` is called after the deploy. */
export function createKeeping(
  api: Api,
  { livesystemId: id, id: componentId }: Pick<ConsoleComponent, "id" | "livesystemId">,
  onKept: () => Promise<void>,
): Keeping {
  const state = signal<KeepingState>({ kind: "idle" });
  const failure = signal<unknown>(null);
  const text = signal("");
  const path = shortPath(componentId);

  async function tried(work: () => Promise<void>): Promise<void> {
    failure.value = null;
    try {
      await work();
    } catch (error) {
      failure.value = error;
      if (state.value.kind === "deploying") state.value = { kind: "idle" };
    }
  }

  return {
    state,
    failure,
    text,
    begin: (patch) =>
      tried(async () => {
        const { definition, version } = await api.liveSystems.get({ id });
        const kept = withKept(definition, patch);
        if (kept === null) throw new RangeError(texts.component.movedOn);
        text.value = parametersText(kept, path);
        state.value = { kind: "editing", definition: kept, version };
      }),
    edit(typed) {
      const { value } = state;
      text.value = typed;
      if (value.kind === "planned") state.value = { ...value, kind: "editing" };
    },
    planIt: () =>
      tried(async () => {
        if (state.value.kind !== "editing") return;
        const { version, definition: before } = state.value;
        const definition = withParameters(before, path, await typedText(text.value));
        const plan = await api.liveSystems.planDeploy({ id }, definition);
        state.value = { kind: "planned", definition, version, plan };
      }),
    deploy: () =>
      tried(async () => {
        if (state.value.kind !== "planned") return;
        const planned = state.value;
        state.value = { kind: "deploying" };
        await deployed(api, id, planned).finally(onKept);
        state.value = { kind: "kept" };
      }),
    leave() {
      state.value = { kind: "idle" };
    },
  };
}
