import type { JsonObject } from "../../json-pointer.ts";
import { plainType } from "../../ports/resource-type.ts";
import type { Stored } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import {
  type DeclarableClouds,
  type Declared,
  type DeclaredPart,
  partOf,
  readDeclaration,
} from "../declarations/declaration.ts";
import { type DeclaredComponent, type Definition, pathKey } from "../declarations/definition.ts";
import { referencesIn } from "../declarations/references.ts";
import { literalSecrets, withoutSecrets, withSecretsOf } from "../protocol/secret-places.ts";
import { unobservableIn } from "../protocol/unobservable.ts";
import type { ComponentRecord } from "./component-record.ts";
import { type DefinitionRecord, type Digested, definitions } from "./definition-record.ts";
import { type LiveSystemRecord, liveSystems } from "./live-system-record.ts";

/** A parsed definition: its components by path. */
export interface ReadDefinition {
  readonly definition: Definition;
  readonly declared: ReadonlyMap<string, Declared>;
  /** The facts of its components' clouds. */
  readonly clouds: DeclarableClouds;
}

/** A live system with its definition in force. */
export interface InForce extends ReadDefinition {
  readonly system: Stored<LiveSystemRecord>;
}

/** The definitions in force: one pointer per live system, for all its components at once. */
export interface Declarations {
  /** By live system, without deleted ones. */
  of(ids: Iterable<string>): Promise<ReadonlyMap<string, InForce>>;
  /** For a live system as read; `null`: its definition has been dropped since. */
  read(system: Stored<LiveSystemRecord>): Promise<InForce | null>;
}

/** Memory per character of a stored definition once parsed: as it is, and by path. Measured. */
const bytesPerLetter = 4;

/** Creates the reader of declarations. A digest always means the same definition, so parsed ones are cached, within bounds. */
export function createDeclarations(
  deps: Pick<Services, "records"> & { readonly clouds: DeclarableClouds; readonly rememberedBytes?: number },
): Declarations {
  const { records, clouds } = deps;
  const remembered = createRemembered(deps.rememberedBytes ?? 64 * 1024 * 1024);

  async function readAll(systems: readonly Stored<LiveSystemRecord>[]): Promise<(InForce | null)[]> {
    const known = systems.map(({ inForce }) => remembered.get(inForce));
    const unknown = systems.filter((_, at) => known[at] === null);
    const stored = unknown.length === 0 ? [] : await records.getMany(definitions, unknown.map(placeOf));
    const read = new Map<Stored<LiveSystemRecord>, ReadDefinition>();
    for (const [at, system] of unknown.entries()) {
      const found = stored[at];
      if (found != null) read.set(system, readStored(found));
    }
    return systems.map((system, at) => {
      const found = known[at] ?? read.get(system) ?? null;
      return found && { ...found, system };
    });
  }

  function readStored(stored: DefinitionRecord): ReadDefinition {
    const read = readDefinition(stored, clouds);
    return remembered.keep(stored.digest, { read, bytes: stored.bytes * bytesPerLetter });
  }

  return {
    async of(ids) {
      const found = new Map<string, InForce>();
      let missing = [...new Set(ids)];
      // A redeploy may have dropped a definition between the two reads.
      for (let tries = 0; tries < 10 && missing.length > 0; tries++) {
        const systems = await records.getMany(
          liveSystems,
          missing.map((id) => [id]),
        );
        const there = systems.filter((system) => system !== null && system.status !== "Deleted");
        const read = await readAll(there as Stored<LiveSystemRecord>[]);
        for (const one of read) if (one !== null) found.set(one.system.id, one);
        missing = there.flatMap((system) => (system === null || found.has(system.id) ? [] : [system.id]));
      }
      return found;
    },
    async read(system) {
      const [found = null] = await readAll([system]);
      return found;
    },
  };
}

/** Reads what a definition declares. */
export function readDefinition(
  { definition, parts }: Pick<Digested, "definition" | "parts">,
  clouds: DeclarableClouds,
): ReadDefinition {
  const declared = new Map<string, Declared>();
  for (const [at, parsed] of readDeclaration(definition).entries()) {
    const { references, onlyForCreation } = parsed;
    declared.set(pathKey(parsed.declared.path), {
      ...partOf(parsed),
      references,
      onlyForCreation,
      ...hiddenIn(parsed.declared, clouds),
      digest: parts[at] ?? null,
      adoptsExactly: definition.adopt === "exact" && typeof parsed.declared.resourceId === "string",
      leaving: false,
    });
  }
  return { definition, declared, clouds };
}

/** A component's declaration: from the definition in force or, once it is no longer declared, its last one. */
export function declaredIn({ system, declared, clouds }: InForce, record: ComponentRecord): Declared {
  const own = declared.get(pathKey(record.path));
  if (own === undefined) return { ...lastOf(record, clouds), digest: null, adoptsExactly: false, leaving: true };
  return record.leaving || system.status === "Deleting" ? { ...own, leaving: true } : own;
}

function lastOf(
  { left, provider, type }: ComponentRecord,
  clouds: DeclarableClouds,
): Omit<Declared, "digest" | "adoptsExactly" | "leaving"> {
  const part = left ?? nothingDeclared;
  const { parameters } = part;
  const references = referencesIn(parameters).filter((found) => found.kind !== "broken");
  return { ...part, references, ...hiddenIn({ parameters, provider, type }, clouds), onlyForCreation: [] };
}

function hiddenIn(
  { parameters, provider, type }: Pick<DeclaredComponent, "parameters" | "provider" | "type">,
  clouds: DeclarableClouds,
): Pick<Declared, "secrets" | "unobservable"> {
  const facts = clouds.get(provider)?.resourceType(type) ?? plainType;
  const unobservable = unobservableIn(parameters, facts).map(({ pointer }) => pointer);
  return { secrets: literalSecrets(parameters, facts), unobservable };
}

/** A definition as answered, without literal secrets. */
export function shownDefinition({ definition, declared }: ReadDefinition): Definition {
  const components = definition.components.map((component) => {
    const secrets = declared.get(pathKey(component.path))?.secrets ?? [];
    return { ...component, parameters: withoutSecrets(component.parameters, secrets) };
  });
  return { ...definition, components };
}

/** An answered definition that is sent again, with the secrets of the one in force restored. */
export function withSecretsInForce(sent: Definition, { definition, declared }: ReadDefinition): Definition {
  const before = new Map(definition.components.map((component) => [pathKey(component.path), component.parameters]));
  const components = sent.components.map((component) => {
    const key = pathKey(component.movedFrom ?? component.path);
    const [parameters, secrets = []] = [before.get(key), declared.get(key)?.secrets];
    if (parameters === undefined || secrets.length === 0) return component;
    const shown = withoutSecrets(parameters, secrets);
    return { ...component, parameters: withSecretsOf(component.parameters, parameters, shown) as JsonObject };
  });
  return { ...sent, components };
}

/** If the declaration is unknown, nothing is deleted. */
const nothingDeclared: DeclaredPart = {
  parameters: {},
  dependsOn: [],
  overrideWith: null,
  muteDrift: [],
  ignoreChanges: [],
  allowExtraItems: [],
  unconditionalWrites: false,
  deletionPolicy: "Retain",
};

function placeOf({ id, inForce }: LiveSystemRecord) {
  return [id, inForce];
}

interface Remembered {
  readonly read: ReadDefinition;
  readonly bytes: number;
}

/** Keeps what was used last, within a size in bytes. */
function createRemembered(limit: number) {
  const kept = new Map<string, Remembered>();
  let size = 0;
  const forget = (digest: string) => {
    size -= kept.get(digest)?.bytes ?? 0;
    kept.delete(digest);
  };
  return {
    get(digest: string): ReadDefinition | null {
      const known = kept.get(digest);
      if (known === undefined) return null;
      kept.delete(digest);
      kept.set(digest, known);
      return known.read;
    },
    keep(digest: string, entry: Remembered): ReadDefinition {
      forget(digest);
      kept.set(digest, entry);
      size += entry.bytes;
      for (const oldest of kept.keys()) {
        if (size <= limit) break;
        forget(oldest);
      }
      return entry.read;
    },
  };
}
