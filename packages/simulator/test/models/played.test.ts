import { expect, test } from "vitest";
import { definition, managed } from "../../../core/test/builders/handed-over.ts";
import { overrideWorld } from "../../../core/test/builders/override.ts";
import { type DrawnStep, drawTraces } from "./quint.ts";

const traces = Number(process.env.LIVEPLANE_PLAYED_TRACES ?? 12);
const timeout = 60_000 + traces * 1_000;

/** One component in liveplane's agent, to which people do what a trace says. */
async function agentWorld() {
  const world = overrideWorld();
  const declared = (size: number) => definition([{ path: "app", parameters: { size } }]);
  const [component] = (await world.create(declared(1))).components;
  const { id = "", resourceId } = component ?? {};
  const [console, resource, system] = [world.consoles["provider-a"], resourceId ?? "", id.slice(0, 36)];
  const tags = ({ on, rec }: Pick<DrawnStep["deed"], "on" | "rec">) => ({
    ...(on && managed),
    ...(rec && { platform: "reconcile" }),
  });

  async function carryOut({ deed }: DrawnStep): Promise<void> {
    await world.runtime.advance(1_000);
    if (deed.what === "tags") await console.putTags(resource, tags(deed));
    if (deed.what === "edit") await console.patchParameters(resource, { size: deed.value });
    if (deed.what === "remove") await console.delete(resource);
    if (deed.what === "recreate") await console.put(resource, { tags: tags(deed), parameters: { size: deed.value } });
    if (deed.what === "deploy") await world.passing(world.deploy(system, declared(deed.value)));
    if (deed.what === "check") {
      await world.passing(world.check(id));
      await world.override.agent.idle();
    }
  }

  async function shown() {
    const { status, override } = await world.component(id);
    const there = await console.get(resource);
    const params = { id: system, componentId: id };
    const { items } = (await world.call("liveSystems.components.overrides", { params })) as Ledger;
    return {
      status,
      awaiting: override !== null && "awaiting" in override ? override.awaiting : null,
      resource: there && { tags: there.tags, size: there.parameters.size },
      outcomes: items.flatMap(({ outcome }) => outcome ?? []).toReversed(),
    };
  }
  return { carryOut, shown, tags };
}

interface Ledger {
  readonly items: readonly { readonly outcome: string | null }[];
}

const words: Readonly<Record<string, string>> = {
  Manual: "ManualOverride",
  Requested: "ReconcileRequested",
  managementTag: "management-tag",
  reconcileTag: "reconcile-tag",
  redeployment: "redeploy",
};
const word = (name: string) => words[name] ?? name;

test("traces that Quint draws end in the same states when they are played to the agent", { timeout }, async () => {
  const drawn = await drawTraces({ traces, steps: 25 });
  expect(drawn).toHaveLength(traces);
  const kinds = new Set(drawn.flat().map(({ deed }) => deed.what));
  expect([...kinds].sort()).toEqual(["check", "deploy", "edit", "nothing", "recreate", "remove", "tags"]);
  for (const trace of drawn) {
    const { carryOut, shown, tags } = await agentWorld();
    for (const [at, step] of trace.entries()) {
      await carryOut(step);
      const { record, resource } = step.world;
      const awaiting = record.status === "Active" || record.awaiting === "nobody" ? null : word(record.awaiting);
      const there = resource.there ? { tags: tags(resource), size: resource.value } : null;
      const { status, outcomes } = record;
      const told = trace.slice(0, at + 1).map(({ deed }) => JSON.stringify(deed));
      expect(await shown(), told.join("\n")).toEqual({ status: word(status), awaiting, resource: there, outcomes });
    }
  }
});
