import type { DeployPlan } from "../../contract/schemas/live-system-schemas.ts";
import type { foresee } from "../agent/agent-pass.ts";

/** What the agent would see of a component, and do with it. */
export type Foreseen = Awaited<ReturnType<typeof foresee>>;

/** What a deploy would do to one component. */
export type Planned = DeployPlan["components"][number];
export type DeployAction = Planned["action"];
