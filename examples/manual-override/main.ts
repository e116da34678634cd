// The whole story of an override on simulated clouds, with an agent that checks every second: a person takes a resource over by removing
// one tag, changes it, keeps the changes, and hands it back. Nothing outside this process is changed. Run it with `pnpm start` in this
// folder.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deployAndWait, waitFor } from "@liveplane/core";
import { patched } from "./json-patch.ts";
import { initialized, setUp, until } from "./set-up.ts";
import { chapter, show, tell, waiting } from "./terminal.ts";

const dataDir = await mkdtemp(join(tmpdir(), "manual-override-"));
const { liveplane, ada, adaId, console } = await setUp(dataDir);
const environmentId = await initialized(ada, adaId);
const soon = { intervalMs: 100, signal: AbortSignal.timeout(60_000) };

chapter("A live system is deployed");
const declaration = {
  name: "shop",
  environmentId,
  components: [
    {
      path: "web",
      provider: "provider-a",
      type: "Microsoft.Web/serverfarms@2024-04-01",
      parameters: { location: "westeurope", workers: 2, size: "S1" },
    },
  ],
};
const { livesystemId: id, status } = await waiting("deploying", deployAndWait(ada, declaration, soon));
tell("agent", `deployed: ${status}`);
const componentId = `${id}/web`;
const at = { id, componentId };
const web = await ada.liveSystems.components.get(at);
const resourceId = web.resourceId ?? "";
tell("agent", `web is ${web.status}`);

chapter("You take it over: one tag less, in the cloud's own console");
await console.patchTags(resourceId, { "managed-by": null });
tell("you", "removed the tag managed-by=platform");
await waiting("the agent's next look", waitFor(ada, componentId, "ManualOverride", soon));
const { acknowledgement } = await ada.liveSystems.components.check(at);
tell("agent", `web is ManualOverride; writes of mine in flight: ${acknowledgement.writesInFlight}`);

chapter("You change it, and nobody puts it back");
await console.patchParameters(resourceId, { workers: 6, size: "P1" });
tell("you", "set workers to 6 and size to P1");
await ada.liveSystems.components.annotateOverride(at, { reason: "Black Friday", ticket: "OPS-1" });
tell("you", "noted why: Black Friday, OPS-1");
const drifted = await waiting(
  "the agent's next look",
  until(
    () => ada.liveSystems.components.get(at),
    ({ outputFields }) => Object.keys(outputFields.drift ?? {}).length === 2,
  ),
);
tell("agent", "reads on, writes nothing, and reports the drift");
show(drifted.outputFields.drift);

chapter("You ask what a hand-back would do");
const plan = await ada.liveSystems.components.adoptionPlan(at);
for (const { parameter, actual, declared } of plan.changes) {
  tell("agent", `would set ${parameter} from ${JSON.stringify(actual)} back to ${JSON.stringify(declared)}`);
}

chapter("You keep your changes: the plan's patch goes into the declaration");
show(plan.keepPatch);
const kept = { id, ...patched(declaration, plan.keepPatch) };
const { held } = await waiting("deploying", deployAndWait(ada, kept, soon));
tell("agent", `deployed; held back for you: ${held.length} component`);
const { outputFields } = await ada.liveSystems.components.get(at);
tell("agent", "drift" in outputFields ? "it still differs" : "nothing differs any more");

chapter("You give it back: both tags");
await console.patchTags(resourceId, { "managed-by": "platform", platform: "reconcile" });
tell("you", "set managed-by=platform and platform=reconcile");
await waiting("the agent's next look", waitFor(ada, componentId, "Active", soon));
const back = await console.get(resourceId);
tell("agent", "web is Active");
show({ tags: back?.tags, workers: back?.parameters.workers, size: back?.parameters.size });
const [episode] = (await ada.liveSystems.components.overrides(at)).items;
tell("agent", `the ledger says: ${episode?.outcome}, "${episode?.reason}", ${episode?.ticket}`);

await liveplane.stop();
await rm(dataDir, { recursive: true });
