import type { Api } from "@liveplane/client";
import { linkTo } from "../app/address.ts";
import type { Names } from "../app/names.ts";
import { fullNameOf, holderOf } from "../board/override-lanes.ts";
import { texts } from "../texts.ts";
import type { PaletteEntry } from "./found-entries.ts";

/** How many holders of overrides are read. */
const mostHolders = 200;

/** Everything of the service that has a name and a page, as far as the person may see it. */
export async function readEntries(api: Api, names: Names, signal: AbortSignal): Promise<PaletteEntry[]> {
  const [environments, systems, people] = await Promise.all([
    environmentEntries(api, signal),
    systemEntries(api, signal),
    personEntries(api, names, signal),
  ]);
  return [...systems, ...environments, ...people];
}

/** Live systems and their components. */
async function systemEntries(api: Api, signal: AbortSignal): Promise<PaletteEntry[]> {
  const entries: PaletteEntry[] = [];
  for await (const { id, name, environmentId, definition } of api.liveSystems.list.all({ limit: 200, signal })) {
    entries.push({
      kind: "liveSystem",
      text: name,
      detail: environmentId.shortName,
      href: linkTo("live-systems", [id]),
    });
    for (const { path, type } of definition.components) {
      entries.push({
        kind: "component",
        text: `${name}/${path}`,
        detail: type.split("@")[0] ?? "",
        href: linkTo("component", [id, ...path.split("/")]),
      });
    }
  }
  return entries;
}

async function environmentEntries(api: Api, signal: AbortSignal): Promise<PaletteEntry[]> {
  const entries: PaletteEntry[] = [];
  for await (const { id, name } of api.environments.list.all({ limit: 200, signal })) {
    const href = linkTo("environments", fullNameOf(id).split("/"));
    entries.push({ kind: "environment", text: id.shortName, detail: name ?? "", href });
  }
  return entries;
}

/** Whoever has taken something over: their overrides. */
async function personEntries(api: Api, names: Names, signal: AbortSignal): Promise<PaletteEntry[]> {
  const counts = new Map<string, number>();
  for (const { override } of (await api.overrides.list({ sort: "age", limit: mostHolders, signal })).items) {
    const holder = holderOf(override);
    if (holder !== null) counts.set(names.in(holder), (counts.get(names.in(holder)) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => ({
    kind: "person",
    text: name,
    detail: texts.board.count(count),
    href: linkTo("overrides", [], { q: name, view: "table" }),
  }));
}
