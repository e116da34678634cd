import type { Component } from "@liveplane/core/contract";
import { type Command, exitCodes } from "../command.ts";
import { readJsonLines } from "../input.ts";
import { namesFor } from "../names.ts";
import { nestedChangeSets, plannedChanges, touches } from "../planned-changes.ts";
import { countOf, tableOf } from "../tables.ts";

/** Stops a pipeline whose plan touches what liveplane manages or a person has taken over. */
export const guard: Command = {
  takes: "<file>",
  summary: "exits with 3 if a Terraform plan, CloudFormation change set or Pulumi preview touches a managed resource",
  words: [1, 1],
  async run(call) {
    const { host, api, given } = call;
    const plan = await readJsonLines(host, given.words[0] ?? "");
    const changes = plannedChanges(plan);
    const touched: Record<string, string>[] = [];
    for await (const { id } of api.liveSystems.list.all({ limit: 200, signal: host.signal }))
      for await (const component of api.liveSystems.components.list.all({ id }, { limit: 200, signal: host.signal }))
        for (const change of changes)
          if (component.resourceId !== null && touches(change, component.resourceId))
            touched.push({ component: component.id, "held by": holderOf(component), ...rowOf(change) });
    if (given.isSet("json")) host.print(JSON.stringify({ touched }));
    else if (touched.length > 0) {
      const components = await namesFor(call)(touched.map(({ component = "" }) => component));
      const rows = touched.map((row, at) => ({ ...row, component: components[at] }));
      host.print(tableOf(rows, host.columns));
    }
    const count = touched.length === 0 ? "no" : touched.length;
    host.say(`The plan has ${countOf(changes.length, "change")}, and touches ${countOf(count, "managed resource")}.`);
    const nested = nestedChangeSets(plan);
    if (nested.length > 0)
      host.say(`It names change sets of nested stacks. Check each of them too: ${nested.join(", ")}`);
    return touched.length === 0 ? exitCodes.done : exitCodes.drift;
  },
};

function rowOf({ address, action }: { readonly address: string; readonly action: string }) {
  return { action, resource: address };
}

function holderOf({ status, override }: Component): string {
  const isHeld = status === "ManualOverride" || (override !== null && "heldBy" in override);
  return isHeld ? "a person" : "liveplane";
}
