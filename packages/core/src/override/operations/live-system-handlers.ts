import type { Handlers } from "../../contract/handler.ts";
import { createComponents } from "./components.ts";
import { createDeployPlans } from "./deploy-plan.ts";
import { createDeploys } from "./deploys.ts";
import { createHandBackPlans } from "./hand-back-plans.ts";
import { createLedger } from "./ledger.ts";
import { createLiveSystems, createMutationLists } from "./live-systems.ts";
import { createOverrides } from "./overrides.ts";
import { createSettledPlaces } from "./settled-places.ts";

/** What the operations on live systems are built of. */
export type LiveSystemHandlersDeps = Parameters<typeof createLiveSystems>[0] &
  Parameters<typeof createDeploys>[0] &
  Parameters<typeof createDeployPlans>[0] &
  Parameters<typeof createMutationLists>[0] &
  Parameters<typeof createComponents>[0] &
  Parameters<typeof createHandBackPlans>[0] &
  Parameters<typeof createLedger>[0] &
  Parameters<typeof createSettledPlaces>[0] &
  Parameters<typeof createOverrides>[0];

/** The operations on live systems, their components and who has taken them over. */
export type LiveSystemHandlers = Handlers<"liveSystems"> & Handlers<"overrides">;

/** Builds the operations on live systems. */
export function createLiveSystemHandlers(deps: LiveSystemHandlersDeps): LiveSystemHandlers {
  return {
    ...createLiveSystems(deps),
    ...createDeploys(deps),
    ...createDeployPlans(deps),
    ...createMutationLists(deps),
    ...createComponents(deps),
    ...createHandBackPlans(deps),
    ...createLedger(deps),
    ...createSettledPlaces(deps),
    ...createOverrides(deps),
  };
}
