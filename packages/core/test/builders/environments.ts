import { isLiveplaneError } from "../../src/errors.ts";
import type { Settings } from "../../src/settings.ts";
import { fakeSealer } from "../../src/testing/fake-secrets.ts";
import { identityWorld, type RealParts } from "./identity.ts";

/** A whole control plane with a person, Ada, who has the environment `dev`; entered only through its operations. */
export async function environmentsWorld(settings: Partial<Settings> = {}, real: RealParts = {}) {
  const sealer = fakeSealer();
  const world = await identityWorld(settings, undefined, { sealer, ...real });
  const ada = await world.person("ada");
  const dev = { type: "Personal", ownerId: ada.account.id, shortName: "dev" } as const;
  const made = await ada.api.environments.create(dev, {});
  return { ...world, sealer, ada, api: ada.api, dev, made, named: (shortName: string) => ({ ...dev, shortName }) };
}

/** What a call is refused with: its code, and every place at fault with the word for it. */
export async function refused(call: Promise<unknown>) {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isLiveplaneError(error)) throw error ?? new Error("It was not refused.");
  const places = (error.details.errors ?? []).map(({ pointer, parameter, code }) => `${pointer ?? parameter} ${code}`);
  return places.length === 0 ? error.code : [error.code, ...places];
}
