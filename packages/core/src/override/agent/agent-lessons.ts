import { type JsonObject, sameJson, valueAt } from "../../json-pointer.ts";
import type { SeenResource } from "../../ports/cloud.ts";
import { resourceOf } from "../../ports/readings.ts";
import { heededOf } from "../declarations/ignored.ts";
import { compare, type Difference, type Expected } from "../protocol/drift.ts";
import { redacted } from "../protocol/redaction.ts";
import { learned, type SettledForms, type WriteEvidence } from "../protocol/settled.ts";
import { isSpellingOf } from "../protocol/spelling.ts";
import { goesByTagOwner } from "../protocol/tags.ts";
import type { SentValues } from "../records/component-record.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { type DirectReading, isGoneOrReplaced } from "./agent-read.ts";
import { sentBy } from "./agent-sent.ts";
import type { CloudWrite } from "./agent-write.ts";
import { type Expectation, type ExpectationsDeps, formsInForce, keyedHash } from "./expectations.ts";
import { isManaged } from "./tag-owner.ts";

type DigestDeps = Pick<ExpectationsDeps, "runtime" | "digestKey">;

/** A reading, with what the previous write taught about the forms that the cloud gives to values. */
export interface TaughtReading extends DirectReading {
  /** The places with a new witness. */
  readonly taught: readonly string[];
}

/** Learns from the result of a write that has just ended, before the state is compared. */
export async function withLessons(
  deps: AgentDeps,
  seen: DirectReading,
  written: CloudWrite | undefined,
): Promise<TaughtReading> {
  const read = isGoneOrReplaced(seen) ? untried(seen) : seen;
  const { record, expectation } = read;
  const sent = await answerOf(deps, read, written);
  const nothing = { ...read, expectation: await withHiddenForms(deps, expectation, read.reading), taught: [] };
  if (sent === null || record.status !== "Active" || expectation.declared.leaving) return nothing;
  const evidence = [
    ...(await evidenceOf(deps, expectation.expected, sent)),
    ...(await disproofOf(deps, { ...expectation.expected, known: record.settled }, sent)),
  ];
  const settled = learned(record.settled, evidence, { type: record.type, at: read.at });
  const taught = Object.keys(settled).filter((place) => settled[place] !== record.settled[place]);
  if (taught.length === 0 && sameJson(settled, record.settled)) return nothing;
  const { parameters, ignored } = expectation.expected;
  const inForce = await formsInForce(deps, { type: record.type, settled }, { parameters, ignored });
  const expected = { ...expectation.expected, settled: inForce.settled };
  const learnt = { ...expectation, expected, hiddenForms: inForce.hidden };
  // A new resource may not be visible yet: its forms are dropped if another one is there by then.
  const identity = record.identity ?? sent.shown.identity ?? null;
  const compared = await withHiddenForms(deps, learnt, read.reading);
  return { ...read, record: { ...record, identity, settled }, expectation: compared, taught };
}

/** Adds the settled forms that aren't stored where they are shown now. They live no longer than the pass. */
async function withHiddenForms(
  deps: DigestDeps,
  expectation: Expectation,
  reading: DirectReading["reading"],
): Promise<Expectation> {
  const { hiddenForms, expected } = expectation;
  const shown = resourceOf(reading);
  if (hiddenForms.size === 0 || shown === null) return expectation;
  const settled = new Map(expected.settled);
  for (const [place, digest] of hiddenForms) {
    const form = valueAt(shown.parameters, place) ?? null;
    if (digest === (await keyedHash(form, deps))) settled.set(place, form);
  }
  return { ...expectation, expected: { ...expected, settled } };
}

/** What was learned and tried at another resource says nothing of this one. */
function untried({ record, expectation, ...read }: DirectReading): DirectReading {
  const expected = { ...expectation.expected, settled: new Map() };
  const compared = { ...expectation, expected, hiddenForms: new Map<string, string>() };
  return { ...read, record: { ...record, settled: {}, tried: null }, expectation: compared };
}

/** What a write sent, and the body that shows the result. */
interface Answer {
  readonly sent: SentValues;
  readonly shown: SeenResource;
  /** The body is the write's own answer. A later read may show somebody else's changes. */
  readonly isBound: boolean;
}

async function answerOf(deps: AgentDeps, read: DirectReading, written: CloudWrite | undefined): Promise<Answer | null> {
  const { record, followed, expectation, reading } = read;
  const later = reading.state === "present" ? reading : null;
  const { ended } = followed;
  const own = (ended === null ? written?.shown : ended.shown) ?? null;
  const shown = own ?? later;
  const sent = ended === null ? await sentInOnePiece(deps, written) : sentSlowly(ended);
  if (sent === null || shown === null || (later?.identity ?? shown.identity) !== shown.identity) return null;
  const made = ended === null ? written?.effect : ended.operation.kind;
  if (own === null && made !== "create" && isGoneOrReplaced(read)) return null;
  const { cloud, tagOwner } = expectation;
  const isOwnerActive = tagOwner === null || tagOwner.status === "Active";
  const isOn = goesByTagOwner(record, expectation) ? isOwnerActive : isManaged(shown.tags, cloud);
  return isOn ? { sent, shown, isBound: own !== null } : null;
}

async function sentInOnePiece(deps: AgentDeps, written: CloudWrite | undefined): Promise<SentValues | null> {
  const isMade = written !== undefined && written.error === null && written.operation === null;
  return isMade ? sentBy(deps, written) : null;
}

function sentSlowly({ operation, failure }: NonNullable<DirectReading["followed"]["ended"]>): SentValues | null {
  return failure === null ? operation.sent : null;
}

/** What the answer shows for each differing place that was sent as it is declared now. */
async function evidenceOf(
  deps: DigestDeps,
  expected: Expected,
  { sent, shown, isBound }: Answer,
): Promise<readonly WriteEvidence[]> {
  const heeded = heededOf(expected.parameters, expected.ignored);
  const isAll = sent.all !== null && sent.all === (await keyedHash(expected.parameters, deps));
  const { changes, corrections } = compare({ ...expected, settled: new Map() }, shown);
  const changeAt = new Map(changes.map((change) => [change.pointer, change]));
  const nothing = await keyedHash(null, deps);
  const evidence: WriteEvidence[] = [];
  for (const { pointer, parameter } of corrections) {
    const value = valueAt(heeded, pointer);
    const change = changeAt.get(pointer);
    if (parameter === expected.tagParameter || value === undefined || change === undefined) continue;
    const digest = await keyedHash(value, deps);
    const known = sent.places[pointer];
    if (known?.digest !== digest && !(isAll || isBelowSent(sent, pointer))) continue;
    const form = valueAt(shown.parameters as JsonObject, pointer) ?? null;
    const isHidden = isRedacted(change);
    if (!isHidden && !(sameJson(change.declared, value) && sameJson(change.actual, form))) continue;
    const before = known?.digest === digest ? known.before : null;
    // Items that the cloud adds are drift, not another form of what was sent.
    const isExtended = Array.isArray(value) && Array.isArray(form) && form.length > value.length;
    // Where nothing was, the cloud may have put its own default, as at a creation.
    const isKnown = before !== null && before !== nothing;
    const moved = isBound && !isExtended && isKnown && before !== (await keyedHash(form, deps));
    // A secret is kept by its digest alone.
    const kept = isHidden && form !== null ? { form: null, formDigest: await keyedHash(form, deps) } : { form };
    evidence.push({ place: pointer, digest, ...kept, moved, spelled: isSpellingOf(value, form) });
  }
  return evidence;
}

/** What the answer shows as it was sent, though a form of it is known. A form that a person accepted stays. */
async function disproofOf(
  deps: DigestDeps,
  { known, ...expected }: Expected & { readonly known: SettledForms },
  { sent, shown, isBound }: Answer,
): Promise<readonly WriteEvidence[]> {
  const proven = Object.entries(known).filter(([, { by }]) => by !== "person");
  if (proven.length === 0 || !isBound) return [];
  const heeded = heededOf(expected.parameters, expected.ignored);
  const isAll = sent.all !== null && sent.all === (await keyedHash(expected.parameters, deps));
  const { changes } = compare({ ...expected, settled: new Map() }, shown);
  const differs = (place: string) =>
    changes.some(({ pointer }) => `${pointer}/`.startsWith(`${place}/`) || `${place}/`.startsWith(`${pointer}/`));
  const evidence: WriteEvidence[] = [];
  for (const [place, { digest }] of proven) {
    const value = valueAt(heeded, place);
    if (value === undefined || differs(place) || digest !== (await keyedHash(value, deps))) continue;
    if (sent.places[place]?.digest !== digest && !(isAll || isBelowSent(sent, place))) continue;
    evidence.push({ place, digest, form: value, moved: false, spelled: false });
  }
  return evidence;
}

function isRedacted({ declared, actual }: Difference): boolean {
  return JSON.stringify([declared, actual]).includes(redacted);
}

/** Whether a value that contains this place was sent; its parts alone weren't witnessed before. */
function isBelowSent({ places }: SentValues, place: string): boolean {
  return Object.keys(places).some((one) => place.startsWith(`${one}/`));
}
