import { type EnvironmentRef, environmentName } from "../../contract/target.ts";
import { toHex, utf8 } from "../../encoding.ts";
import type { EnvironmentDirectory } from "../../environment/directory.ts";
import { LiveplaneError } from "../../errors.ts";
import { canonicalJson, type JsonObject, valueAt } from "../../json-pointer.ts";
import type { Cloud, CloudCredentials } from "../../ports/cloud.ts";
import type { ResourceType } from "../../ports/resource-type.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Sealed, Sealer } from "../../ports/secrets.ts";
import type { Json } from "../../ports/store.ts";
import type { Records, Stored } from "../../records/records.ts";
import { type Declared, neededBy, wasCarriedOut } from "../declarations/declaration.ts";
import { pathKey } from "../declarations/definition.ts";
import { heededOf, placesAsDeclared } from "../declarations/ignored.ts";
import { resolveReferences } from "../declarations/references.ts";
import { fixedAt, maySetParameters, pointerOf } from "../declarations/shape.ts";
import type { Expected } from "../protocol/drift.ts";
import type { Effect } from "../protocol/lifecycle-row.ts";
import { secretValues } from "../protocol/secret-places.ts";
import { type FormsInForce, inForceAmong, type SettledForms } from "../protocol/settled.ts";
import { unobservableIn } from "../protocol/unobservable.ts";
import { type ComponentRecord, components, isThere } from "../records/component-record.ts";
import { type Declarations, declaredIn, type InForce } from "../records/in-force.ts";
import { openOutputs } from "../records/sealed-outputs.ts";
import { type Unresolved, valuesOf } from "./referenced-values.ts";

/** What the expectations are computed from. */
export interface ExpectationsDeps {
  readonly records: Records;
  readonly declarations: Declarations;
  readonly environments: EnvironmentDirectory;
  readonly clouds: ReadonlyMap<string, Cloud>;
  readonly sealer: Sealer;
  readonly runtime: Runtime;
  /** An installation key, for digests of values that must not be stored. */
  readonly digestKey: () => Promise<Uint8Array>;
}

/** What a component should be now, with all references resolved. Holds secrets, so it lives no longer than a pass. */
export interface Expectation {
  /** The live system's definition in force. A decision based on it is void once that changes. */
  readonly inForce: InForce;
  readonly declared: Declared;
  /** The path of the component that must come first, until this declaration has been carried out once; `null` if none must. */
  readonly waitsFor: string | null;
  /** The first dependency that doesn't exist as far as is known. Until it does, the agent creates nothing. `null` if all exist. */
  readonly absent: string | null;
  readonly cloud: Cloud;
  readonly expected: Expected;
  /** The values that must not be shown. */
  readonly secretValues: readonly Json[];
  /** A keyed hash of them; `null` if there are none. */
  readonly secretsHash: string | null;
  readonly unresolved: readonly Unresolved[];
  /** A keyed hash of the values that references resolve to; `null` without references. */
  readonly referred: string | null;
  /** Keyed hashes of the values that the cloud never returns, by the type's name for each place. */
  readonly writeOnly: Readonly<Record<string, string>>;
  /** Keyed digests of the settled forms that aren't stored, by place. */
  readonly hiddenForms: ReadonlyMap<string, string>;
  /** The component whose tag governs this one, or still does; `null` if it has its own tag or the other is gone. */
  readonly tagOwner: Stored<ComponentRecord> | null;
}

/** What components should be. Everything around them is read once: fresh for each check by a person, shared within a shard's sweep. */
export interface Expectations {
  of(record: ComponentRecord): Promise<Expectation>;
  credentials(environment: EnvironmentRef, provider: string): Promise<CloudCredentials | null>;
  siblings(liveSystemId: string): Promise<ReadonlyMap<string, Stored<ComponentRecord>>>;
  /** Takes records that were already read as siblings, with the definitions in force of their live systems. */
  know(records: readonly Stored<ComponentRecord>[], inForce: ReadonlyMap<string, InForce>): void;
}

/** Creates expectations that cache what they read. */
export function openExpectations(deps: ExpectationsDeps): Expectations {
  const { records, declarations, environments, clouds } = deps;
  const siblings = new Map<string, Promise<ReadonlyMap<string, Stored<ComponentRecord>>>>();
  const systems = new Map<string, Promise<InForce | null>>();
  const credentials = new Map<string, Promise<CloudCredentials | null>>();
  const secrets = new Map<string, Promise<string | null>>();
  const opened = new Map<ComponentRecord, Promise<JsonObject>>();

  const siblingsOf = (liveSystemId: string) =>
    remembered(siblings, liveSystemId, async () => {
      const listed = await records.list(components, { prefix: [liveSystemId] });
      return byPath(listed.map(({ record }) => record));
    });
  const inForceOf = (liveSystemId: string) =>
    remembered(systems, liveSystemId, async () => {
      return (await declarations.of([liveSystemId])).get(liveSystemId) ?? null;
    });
  const secretOf = (environment: EnvironmentRef, shortName: string) =>
    remembered(secrets, `${environmentName(environment)} ${shortName}`, async () => {
      return (await environments.openSecret(environment, shortName))?.reveal() ?? null;
    });
  const hiddenOf = (source: ComponentRecord, sealed: Sealed) =>
    remembered(opened, source, () => openOutputs(sealed, source, deps.sealer));

  return {
    siblings: siblingsOf,
    credentials: (environment, provider) =>
      remembered(credentials, `${environmentName(environment)} ${provider}`, () =>
        environments.agentCredentials(environment, provider),
      ),
    know(known, inForce) {
      const own = Map.groupBy(known, ({ liveSystemId }) => liveSystemId);
      for (const [liveSystemId, some] of own) siblings.set(liveSystemId, Promise.resolve(byPath(some)));
      for (const [liveSystemId, one] of inForce) systems.set(liveSystemId, Promise.resolve(one));
    },
    async of(record) {
      const cloud = clouds.get(record.provider);
      if (cloud === undefined)
        throw new LiveplaneError("ConfigurationInvalid", `The cloud ${record.provider} is no longer configured.`);
      const inForce = await inForceOf(record.liveSystemId);
      if (inForce === null) throw new LiveplaneError("NotFound");
      const declared = declaredIn(inForce, record);
      const type = cloud.resourceType(record.type);
      const { references, overrideWith } = declared;
      const dependsOn = neededBy(declared, { isThere: isThere(record) });
      const isNews = !declared.leaving && !wasCarriedOut(record, declared);
      // It depends on whatever it refers to.
      const needsSiblings = overrideWith !== null || record.governedBy !== null || declared.dependsOn.length > 0;
      const around = needsSiblings ? await siblingsOf(record.liveSystemId) : noSiblings;
      const { values, unresolved } = await valuesOf(references, record, { around, secretOf, hiddenOf });
      const resolved =
        references.length === 0
          ? { parameters: declared.parameters, secrets: [] }
          : resolveReferences(declared.parameters, ({ pointer }) => values.get(pointer) ?? null);
      const { tagParameter, caselessTagKeys } = cloud.capabilities;
      const ignored = placesAsDeclared(declared.ignoreChanges, declared.parameters, cloud.capabilities);
      const writeOnly = await unobservableHashes(heededOf(resolved.parameters, ignored), type, deps);
      const unapplied = unappliedIn(record, writeOnly, { declared, cloud, type });
      const { parameters } = resolved;
      const hidden = [...resolved.secrets, ...declared.secrets];
      const { scope } = record.resource.target;
      const { settled, hidden: hiddenForms } = await formsInForce(deps, record, { parameters, ignored });
      const compared = { parameters, ignored, type, tagParameter, caselessTagKeys };
      const secret = { secrets: hidden, formerSecrets: record.observed.secrets };
      const extraItems = Object.fromEntries(
        declared.allowExtraItems.map((pointer) => [pointer, record.appliedItems[pointer] ?? []]),
      );
      const expected = { ...compared, ...secret, unapplied, scope, settled, extraItems };
      const referred =
        values.size === 0
          ? null
          : await keyedHash(
              [...values.values()].map(({ value }) => value),
              deps,
            );
      const tagOwner = tagOwnerOf(record, { overrideWith, around });
      const waitsFor = isNews ? firstNotDone(dependsOn, around, inForce) : null;
      const absent = firstAbsent(declared.dependsOn, around);
      const known = {
        inForce,
        declared,
        waitsFor,
        absent,
        cloud,
        expected,
        hiddenForms,
        unresolved,
        referred,
        writeOnly,
        tagOwner,
      };
      const secrets = secretValues(parameters, hidden);
      const secretsHash = secrets.length === 0 ? null : await keyedHash(secrets, deps);
      return { ...known, secretValues: secrets, secretsHash };
    },
  };
}

/** An overridden component keeps what it governs, whatever is declared since, until it is handed back. */
function tagOwnerOf(
  { governedBy }: ComponentRecord,
  {
    overrideWith,
    around,
  }: { readonly overrideWith: string | null; readonly around: ReadonlyMap<string, Stored<ComponentRecord>> },
): Stored<ComponentRecord> | null {
  const known = around.get(pathKey(governedBy ?? ""));
  if (known !== undefined && known.status !== "Active") return known;
  return around.get(pathKey(overrideWith ?? "")) ?? null;
}

/** The first path that neither matches its declaration nor is controlled by a person. */
function firstNotDone(
  paths: readonly string[],
  around: ReadonlyMap<string, Stored<ComponentRecord>>,
  inForce: InForce,
): string | null {
  const isDone = (path: string): boolean => {
    const record = around.get(pathKey(path));
    if (record === undefined) return false;
    const declared = declaredIn(inForce, record);
    const tagOwner = tagOwnerOf(record, { overrideWith: declared.overrideWith, around });
    if ([record, tagOwner].some((one) => one !== null && one.status !== "Active")) return true;
    return record.conditions.exists.value === true && wasCarriedOut(record, declared);
  };
  return paths.find((path) => !isDone(path)) ?? null;
}

/** The first of these components whose resource wasn't there at the last read. */
function firstAbsent(paths: readonly string[], around: ReadonlyMap<string, ComponentRecord>): string | null {
  return paths.find((path) => around.get(pathKey(path))?.conditions.exists.value !== true) ?? null;
}

const noSiblings: ReadonlyMap<string, Stored<ComponentRecord>> = new Map();

/** A keyed hash of a value, which only tells whether it changed. */
export async function keyedHash(
  value: Json,
  { runtime, digestKey }: Pick<ExpectationsDeps, "runtime" | "digestKey">,
): Promise<string> {
  return toHex(await runtime.crypto.hmac(await digestKey(), utf8(canonicalJson(value))));
}

/** Keyed hashes of the values that the cloud never returns, by the type's names for their places. */
async function unobservableHashes(
  parameters: JsonObject,
  type: ResourceType,
  deps: ExpectationsDeps,
): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const [name, found] of Map.groupBy(unobservableIn(parameters, type), (one) => one.name)) {
    const values = found.map(({ value }) => value);
    hashes[name] = await keyedHash(values.length === 1 ? (values[0] ?? null) : values, deps);
  }
  return hashes;
}

/**
 * The places whose declared value isn't what was last applied. A hand-back writes all of them again. Without a digest nothing is compared,
 * unless the declaration has changed since it was last in force. Pure.
 */
function unappliedIn(
  record: ComponentRecord,
  hashes: Readonly<Record<string, string>>,
  { declared, cloud, type }: Pick<Expectation, "declared" | "cloud"> & { readonly type: ResourceType },
): ReadonlySet<string> {
  if (!record.provisioned) return new Set();
  const { applied, request } = record;
  const isHandBack = request !== null && request.rewritten !== true && maySetParameters(record, { cloud, declared });
  const isOpen = ([name, hash]: readonly [string, string]) => {
    const mayChange = !isFixed(type, name);
    if (isHandBack && mayChange) return true;
    if (applied[name] === undefined) return mayChange && !wasCarriedOut(record, declared);
    return applied[name] !== hash;
  };
  return new Set(Object.entries(hashes).flatMap((one) => (isOpen(one) ? [one[0]] : [])));
}

/** The digests of unobservable values that a write applies, except those it can't change. */
export function appliedBy(effect: Effect, { writeOnly, expected: { type, unapplied } }: Applying) {
  if (effect === "create") return writeOnly;
  const isApplied = ([name]: readonly [string, string]) => !unapplied.has(name) || !isFixed(type, name);
  return Object.fromEntries(Object.entries(writeOnly).filter(isApplied));
}

/** No value has this digest: after a failed write, its values are written again. */
export function notApplied({ writeOnly, expected: { type } }: Applying): Readonly<Record<string, string>> {
  const names = Object.keys(writeOnly).filter((name) => !isFixed(type, name));
  return Object.fromEntries(names.map((name) => [name, ""]));
}

type Applying = Pick<Expectation, "writeOnly" | "expected">;

function isFixed(type: ResourceType, name: string): boolean {
  return fixedAt(type, pointerOf(name)) !== null;
}

function byPath(records: readonly Stored<ComponentRecord>[]): ReadonlyMap<string, Stored<ComponentRecord>> {
  return new Map(records.map((record) => [pathKey(record.path), record]));
}

function remembered<K, T>(known: Map<K, Promise<T>>, key: K, read: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? read();
  known.set(key, found);
  return found;
}

/** The forms that count for the current declaration. */
export async function formsInForce(
  deps: Pick<ExpectationsDeps, "runtime" | "digestKey">,
  { settled, type }: { readonly settled: SettledForms; readonly type: ComponentRecord["type"] },
  { parameters, ignored }: Pick<Expected, "parameters" | "ignored">,
): Promise<FormsInForce> {
  const places = Object.keys(settled);
  if (places.length === 0) return noForms;
  const heeded = heededOf(parameters, ignored);
  const digests = new Map<string, string>();
  for (const place of places) digests.set(place, await keyedHash(valueAt(heeded, place) ?? null, deps));
  return inForceAmong(settled, digests, type);
}

const noForms: FormsInForce = { settled: new Map(), hidden: new Map() };
