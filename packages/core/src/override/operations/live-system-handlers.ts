import type { Handlers } from "../../contract/handler.ts";
import type { Services } from "../../services.ts";
import type { Agent } from "../agent/agent.ts";
import type { AgentDeps } from "../agent/agent-deps.ts";
import { createComponents } from "./components.ts";
import { createDeployPlans } from "./deploy-plan.ts";
import { createDeploys } from "./deploys.ts";
import { createExistingResources } from "./existing-resources.ts";
import { createHandBackPlans } from "./hand-back-plans.ts";
import { createLedger } from "./ledger.ts";
import { createLiveSystems, createMutationLists } from "./live-systems.ts";
import { createOverrides } from "./overrides.ts";
import { createSettledPlaces } from "./settled-places.ts";

/** The operations on live systems, their components and overrides, and on resources that could become components. */
export type LiveSystemHandlers = Handlers<"liveSystems"> & Handlers<"overrides"> & Handlers<"environments.resources">;

/** Creates the handlers for live systems. */
export function createLiveSystemHandlers(
  deps: AgentDeps &
    Pick<Services, "pages" | "settings" | "access"> & {
      readonly agent: Pick<Agent, "check">;
      readonly wake: (liveSystemId: string) => void;
    },
): LiveSystemHandlers {
  return {
    ...createLiveSystems(deps),
    ...createDeploys(deps),
    ...createDeployPlans(deps),
    ...createMutationLists(deps),
    ...createComponents(deps),
    ...createExistingResources(deps),
    ...createHandBackPlans(deps),
    ...createLedger(deps),
    ...createSettledPlaces(deps),
    ...createOverrides(deps),
  };
}
