import { componentId } from "../../src/override/declarations/definition.ts";
import { newComponent } from "../../src/override/operations/deployment.ts";
import { type ComponentRecord, components as records } from "../../src/override/records/component-record.ts";
import { digested, referTo } from "../../src/override/records/definition-record.ts";
import { countComponents, liveSystems, namesOf } from "../../src/override/records/live-system-record.ts";
import { webRuntime } from "../../src/ports/web-runtime.ts";
import type { Change, Records } from "../../src/records/records.ts";

const perLiveSystem = 20;
/** Live systems filled in with one change. */
const perChange = 20;
const parameters = {
  tier: "hot",
  size: 3,
  network: { prefixes: ["10.0.0.0/24"], open: false },
  tags: { env: "prod", team: "shop" },
};

/** Fills a store with components as a look has left them that found nothing new. Answers their ids, which are their resources' as well. */
export async function fillFleet(into: Records, size: number, newId: () => string): Promise<string[]> {
  const ids: string[] = [];
  for (let filled = 0; filled < size; filled += perChange * perLiveSystem) {
    const systems = Math.min(perChange, (size - filled) / perLiveSystem);
    await into.change({ actor: "bench", requestId: "bench" }, async (change) => {
      for (let system = 0; system < systems; system++) ids.push(...(await putLiveSystem(change, newId)));
    });
  }
  return ids;
}

async function putLiveSystem(change: Change, newId: () => string): Promise<string[]> {
  const [liveSystemId, at] = [newId(), new Date(0).toISOString()];
  const environmentId = { type: "Personal", ownerId: newId(), shortName: "dev" } as const;
  await countComponents(change, liveSystemId, perLiveSystem);
  const components = Array.from({ length: perLiveSystem }, (_, number) => {
    return { path: `part/c${number}`, provider: "bench", type: "thing", parameters: structuredClone(parameters) };
  });
  const definition = { name: "bench", environmentId, components };
  const deploys = await digested(webRuntime(), definition);
  const stamps = { createdAt: at, createdBy: "bench", updatedAt: at, updatedBy: "bench" };
  const now = { status: "Active", inForce: deploys.digest, lastMutationId: "m" } as const;
  await referTo(change, liveSystemId, deploys);
  change.put(liveSystems, { id: liveSystemId, ...namesOf(definition), ...now, ...stamps });
  for (const [number, declared] of components.entries()) {
    const { path } = declared;
    const target = { scope: "scope", region: "here" };
    const place = { id: componentId(liveSystemId, path), name: path, given: true, target };
    const fresh = newComponent(
      { declared },
      {
        liveSystemId,
        environment: environmentId,
        place,
        mutationId: "m",
        at,
        by: "bench",
      },
    );
    change.put(records, settled(fresh, { at, digest: deploys.parts[number] ?? "" }));
  }
  return components.map(({ path }) => componentId(liveSystemId, path));
}

function settled(record: ComponentRecord, { at, digest }: { at: string; digest: string }): ComponentRecord {
  const condition = (reason: string) => ({ value: true, reason, message: "", observedAt: at, changedAt: at });
  return {
    ...record,
    provisioned: true,
    carriedOut: digest,
    identity: "one",
    step: { mutationId: "m", state: "converged", error: null },
    observed: { ...record.observed, against: digest, managementTag: true, outputs: { id: "x", tier: "hot", size: 3 } },
    conditions: { readable: condition("Read"), exists: condition("Exists"), inSync: condition("InSync") },
  };
}
