import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { UsageError } from "../../usage-error.ts";
import { takeFlags } from "../arguments.ts";
import { exitCodes } from "../command.ts";
import type { CliHost } from "../host.ts";

/** The state of verifying a log so far. */
interface Walked {
  readonly count: number;
  readonly first: Entry | null;
  readonly last: Entry | null;
}

interface Entry {
  readonly sequence: number;
  readonly event: { readonly sequence?: unknown; readonly time?: unknown };
  readonly before: string;
  readonly hash: string;
}

/** Verifies the chain of hashes in files written by `events log --json`, each continuing the previous one. Asks no service. */
export async function verifyAudit(host: CliHost, args: readonly string[]): Promise<number> {
  const given = await takeFlags(args, { after: { type: "string" } });
  if (given.words.length === 0) throw new UsageError("Usage: liveplane verify-audit [--after <hash>] <file…>");
  let walked: Walked = { count: 0, first: null, last: null };
  let line = 0;
  for (const file of given.words) {
    line = 0;
    for await (const text of linesOf(file)) {
      line += 1;
      if (text === "") continue;
      for (const entry of entriesOf(text)) {
        const fault = entry === null ? notLogged : faultOf(entry, walked, given.text("after"));
        if (entry === null || fault !== null) {
          host.say(`${file}, line ${line}: ${fault}. Nothing after this line is verified.`);
          return exitCodes.failed;
        }
        walked = { count: walked.count + 1, first: walked.first ?? entry, last: entry };
      }
    }
  }
  return told(host, walked, { isJson: given.isSet("json") });
}

async function* linesOf(file: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (cause) {
    throw new UsageError(`${file} can't be read (${(cause as NodeJS.ErrnoException).code}).`, { cause });
  }
}

/** What is wrong with the next entry; `null` if it follows. */
function faultOf({ sequence, event, before, hash }: Entry, { last }: Walked, after: string | undefined): string | null {
  if (last === null && after !== undefined && before !== after)
    return `event ${sequence} doesn't continue from the hash given with --after`;
  if (last !== null && sequence !== last.sequence + 1)
    return `event ${sequence} follows event ${last.sequence}: events are missing`;
  if (last !== null && before !== last.hash) return `event ${sequence} continues from a different log`;
  const is = createHash("sha256").update(before).update(JSON.stringify(event)).digest("hex");
  return event.sequence === sequence && is === hash ? null : `event ${sequence} doesn't match its hash: it was changed`;
}

const notLogged =
  "this isn't an entry of the event log. Save the log with liveplane events log --json; events saved by other commands or the console have no hashes";

/** The entries in a line: one, or those of a page, which `--limit` prints. */
function entriesOf(text: string): readonly (Entry | null)[] {
  try {
    const read = JSON.parse(text) as Partial<Entry> & { readonly items?: readonly Partial<Entry>[] };
    return (Array.isArray(read.items) ? read.items : [read]).map(entryOf);
  } catch {
    return [null];
  }
}

function entryOf({ sequence, event, before, hash }: Partial<Entry>): Entry | null {
  const isWhole = Number.isInteger(sequence) && typeof event === "object" && event !== null;
  return isWhole && typeof before === "string" && typeof hash === "string"
    ? { sequence: Number(sequence), event, before, hash }
    : null;
}

function told(host: CliHost, { count, first, last }: Walked, { isJson }: { readonly isJson: boolean }): number {
  if (first === null || last === null) {
    host.say("No events found.");
    return exitCodes.failed;
  }
  const found = {
    events: count,
    ...{ from: { sequence: first.sequence, time: first.event.time, goesOnFrom: first.before } },
    ...{ to: { sequence: last.sequence, time: last.event.time, hash: last.hash } },
  };
  if (isJson) host.print(JSON.stringify(found));
  else
    host.print([
      `${count} events, ${first.sequence} to ${last.sequence}, without gaps; every hash matches.`,
      `Continues from     ${first.before || "nothing: the log begins here"}`,
      `Hash of the last   ${last.hash}`,
    ]);
  return exitCodes.done;
}
