import type { JudgedCloud, SaidOfOverride, StoredComponent } from "../facts.ts";
import { componentName, told } from "../names.ts";
import type { Rule } from "../steps.ts";

type Tags = Readonly<Record<string, string>>;

/** An override keeps what its resource's tags said when it began. */
export function overrideSaysWhatWasSaid(): Rule {
  return {
    invariant: "override-says-what-was-said",
    judges: {
      look: ({ before, after, resource, cloud }) => resource && wrongSaid(before, after, resource.tags, cloud),
      glimpse: ({ before, after, resource, cloud }) => wrongSaid(before, after, resource?.tags ?? {}, cloud),
      "component-stored": ({ before, after }) => {
        if (before?.override == null || after?.override == null) return null;
        const [was, is] = [before.override.said ?? null, after.override.said ?? null];
        const isSame = before.override.episodeId === after.override.episodeId;
        return isSame && JSON.stringify(was) !== JSON.stringify(is)
          ? `${componentName(after)} said ${told(was)}, and says ${told(is)}`
          : null;
      },
    },
  };
}

/** What is wrong with the notes of a new override; `null` if nothing. */
function wrongSaid(before: StoredComponent, after: StoredComponent, tags: Tags, cloud: JudgedCloud): string | null {
  if (after.override === null || before.override !== null) return null;
  const wanted = saidIn(tags, Date.parse(after.override.since), cloud);
  const said = after.override.said ?? null;
  return JSON.stringify(said) === JSON.stringify(wanted)
    ? null
    : `it says ${told(said)}, its tags said ${told(wanted)}`;
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
  // Days, in the spelling that both clouds accept: a day lasts to its end.
  const day = /^\d{4}-\d\d-\d\d$/.exec(textOf("platform-until") ?? "")?.[0];
  const end = day === undefined ? Number.NaN : Date.parse(`${day}T23:59:59.000Z`);
  if (end > since) said.until = new Date(end).toISOString();
  return said.reason === null && said.owner === null && said.until === null ? null : said;
}
