import { toInstant } from "../../encoding.ts";
import type { Key } from "../../ports/store.ts";
import { collection } from "../../records/collection.ts";
import type { Records } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import { componentKey, components } from "../records/component-record.ts";
import { dropEpisodes, type LedgerPlace, outdated } from "../records/episode-history.ts";
import { type EpisodeRecord, episodes } from "../records/episode-record.ts";
import { trimHistory } from "../records/history.ts";
import { liveSystems } from "../records/live-system-record.ts";

/** The progress of a pass. One record per installation, so that any process can continue. */
interface PassRecord {
  readonly name: "live-systems" | "episodes";
  readonly after: Key | null;
  /** In a pass over episodes: the place of the last one. */
  readonly place: LedgerPlace | null;
  /** In epoch milliseconds; `null` while it runs. */
  readonly finishedAt: number | null;
}

const passes = collection<PassRecord>()("history-pass", { key: ({ name }) => [name] });

const systemsAtOnce = 100;
const episodesAtOnce = 50;
const batches = 20;
const againMs = 86_400_000;

/**
 * Applies history limits where no commit does: after limits were lowered, and as episodes age. Goes through everything once a day, a
 * bounded part at a time.
 */
export async function keepHistories(deps: Pick<Services, "records" | "runtime" | "settings">): Promise<void> {
  await walk(deps, "live-systems", ({ after }) => tidySystems(deps, after));
  await walk(deps, "episodes", (pass) => tidyEpisodes(deps, pass));
}

type Step = (pass: PassRecord) => Promise<Pick<PassRecord, "after" | "place">>;

async function walk(
  { records, runtime }: Pick<Services, "records" | "runtime">,
  name: PassRecord["name"],
  step: Step,
): Promise<void> {
  const { clock } = runtime;
  const begun = { name, after: null, place: null, finishedAt: null };
  const known = (await records.get(passes, [name])) ?? begun;
  const isOver = known.finishedAt !== null && Math.abs(clock.now() - known.finishedAt) < againMs;
  if (isOver) return;
  let pass: PassRecord = known.finishedAt === null ? known : begun;
  for (let batch = 0; batch < batches && pass.finishedAt === null; batch++) {
    const next = await step(pass);
    pass = { name, ...next, finishedAt: next.after === null ? clock.now() : null };
    await records.change(cause, (change) => void change.put(passes, pass));
    await runtime.yield();
  }
}

const cause = { actor: "system", requestId: "housekeeping" };

async function tidySystems(deps: Pick<Services, "records" | "runtime" | "settings">, after: Key | null) {
  const { records, settings, runtime } = deps;
  const listed = await records.list(liveSystems, { limit: systemsAtOnce, ...(after && { after }) });
  for (const { record } of listed) {
    for (let done = false; !done; ) {
      done = await records.change(cause, async (change) => {
        const system = await change.get(liveSystems, [record.id]);
        return system === null || trimHistory(change, system, settings);
      });
    }
    await runtime.yield();
  }
  return { after: listed.length < systemsAtOnce ? null : (listed.at(-1)?.position ?? null), place: null };
}

async function tidyEpisodes(
  { records, runtime, settings }: Pick<Services, "records" | "runtime" | "settings">,
  { after, place }: PassRecord,
) {
  const range = { limit: episodesAtOnce, reverse: true, ...(after && { after }) };
  const listed = await records.list(episodes, { index: "started", ...range });
  const found = listed.map(({ record }) => record);
  const gone = await goneAmong(found, records);
  const before = toInstant(runtime.clock.now() - settings.episodeSeconds * 1000);
  const { keptEpisodes } = settings;
  const tidied = outdated(found, { place, keptEpisodes, before, isGone: (episode) => gone.has(nameOf(episode)) });
  if (tidied.drop.length > 0) await records.change(cause, (change) => dropEpisodes(change, tidied.drop));
  const isOver = listed.length < episodesAtOnce;
  return { after: isOver ? null : (listed.at(-1)?.position ?? null), place: isOver ? null : tidied.place };
}

/** The names of deleted components. */
async function goneAmong(found: readonly EpisodeRecord[], records: Records): Promise<ReadonlySet<string>> {
  const keys = new Map(found.map((episode) => [nameOf(episode), componentKey(episode.liveSystemId, episode.path)]));
  const there = await records.getMany(components, [...keys.values()]);
  return new Set([...keys.keys()].filter((_, at) => there[at] === null));
}

function nameOf({ liveSystemId, path }: EpisodeRecord): string {
  return componentKey(liveSystemId, path).join("/");
}
