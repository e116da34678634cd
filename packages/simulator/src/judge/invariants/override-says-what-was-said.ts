import { componentName, type Evidence, told } from "./evidence.ts";
import type { JudgedCloud, SaidOfOverride, StoredComponent } from "./facts.ts";

type Tags = Readonly<Record<string, string>>;

/** What an override says was in the tags of the resource when it was taken over, and stays. `null`: nothing is wrong with it. */
export function wrongSaid(
  before: StoredComponent,
  after: StoredComponent,
  tags: Tags,
  cloud: JudgedCloud,
): string | null {
  if (after.override === null || before.override !== null) return null;
  const wanted = saidIn(tags, Date.parse(after.override.since), cloud);
  const said = after.override.said ?? null;
  return JSON.stringify(said) === JSON.stringify(wanted)
    ? null
    : `it says ${told(said)}, its tags said ${told(wanted)}`;
}

/** As long as an override lasts it says what it said at first. */
export function judgeSaidKept(before: StoredComponent | null, after: StoredComponent | null, evidence: Evidence) {
  if (before?.override == null || after?.override == null) return;
  const [was, is] = [before.override.said ?? null, after.override.said ?? null];
  const isSame = before.override.episodeId === after.override.episodeId;
  if (isSame && JSON.stringify(was) !== JSON.stringify(is))
    evidence.fail("override-says-what-was-said", `${componentName(after)} said ${told(was)}, and says ${told(is)}`);
}

function saidIn(tags: Tags, since: number, { caselessTagKeys }: JudgedCloud): SaidOfOverride | null {
  const textOf = (wanted: string) => {
    const isIt = (key: string) => (caselessTagKeys ? key.toLowerCase() : key) === wanted;
    const text =
      Object.entries(tags)
        .find(([key]) => isIt(key))?.[1]
        .trim() ?? "";
    return text === "" ? null : text.slice(0, 256);
  };
  const said = { reason: textOf("platform-reason"), owner: textOf("platform-owner"), until: null as string | null };
  // Days, in the one spelling that both clouds take: a day lasts to its end.
  const day = /^\d{4}-\d\d-\d\d$/.exec(textOf("platform-until") ?? "")?.[0];
  const end = day === undefined ? Number.NaN : Date.parse(`${day}T23:59:59.000Z`);
  if (end > since) said.until = new Date(end).toISOString();
  return said.reason === null && said.owner === null && said.until === null ? null : said;
}
