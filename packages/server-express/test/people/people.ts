import type { LiveSystemDefinition, Mutation } from "@liveplane/core/contract";
import { isLiveplaneError } from "@liveplane/core/errors";
import { mulberry32 } from "../../../core/src/testing/fake-runtime.ts";
import { after, type Deed, drawDeed, type Model, type Path, paths } from "./deeds.ts";
import type { PeopleWorld } from "./people-world.ts";
import { differs, left, type ModelComponent, undeclared, type Values } from "./person-model.ts";

/** A sequence of deeds after which the service shows something else than the model. */
export interface Difference {
  readonly seed: number;
  readonly deeds: readonly string[];
  readonly place: string;
  readonly expected: unknown;
  readonly found: unknown;
}

const first: Values = { size: 1, tier: "hot" };
const deedsInSequence = 12;
/** The agent sweeps more often than this, even if its clock is jittery. */
const cycleMs = 11_000;
/** After more corrections of the same places, sweeps pause. The specification leaves the pauses open. */
const mostSwept = 3;

/** Carries out a drawn sequence over HTTP, and compares all that people see after each deed. `null`: no difference. */
export async function trySequence(world: PeopleWorld, seed: number): Promise<Difference | null> {
  const chance = mulberry32(seed);
  const people = new People(world);
  const deeds: string[] = [];
  let model = await people.begin();
  try {
    for (let at = 0; at < deedsInSequence; at++) {
      const drawn = drawDeed(model, chance);
      const isSwept = paths.every((path) => model[path].corrections < mostSwept);
      const deed: Deed = drawn.kind === "pass" && !isSwept ? { kind: "check", path: "net" } : drawn;
      if ("path" in deed && deed.kind === "check" && model[deed.path].record === null) continue;
      deeds.push(JSON.stringify(deed));
      const before = model;
      model = after(model, deed);
      // No two episodes begin in the same millisecond.
      await world.pass(1);
      await people.carryOut(deed, before, model);
      await people.compare(model);
    }
    await people.end(model);
    return null;
  } catch (error) {
    if (!(error instanceof Differing)) throw error;
    const { place, expected, found } = error;
    return { seed, deeds, place, expected, found };
  }
}

class Differing extends Error {
  readonly place: string;
  readonly expected: unknown;
  readonly found: unknown;

  constructor(place: string, expected: unknown, found: unknown) {
    super(place);
    this.place = place;
    this.expected = expected;
    this.found = found;
  }
}

/** People with one live system, who do what they do over HTTP. */
class People {
  readonly #world: PeopleWorld;
  #id = "";
  readonly #resources = new Map<Path, string>();
  /** When the agent wrote last, as far as people were told, and how many writes the model knew of then. */
  readonly #wrote = new Map<Path, { readonly writes: number; readonly at: string | null }>();

  constructor(world: PeopleWorld) {
    this.#world = world;
  }

  async begin(): Promise<Model> {
    const { api, answer } = this.#world;
    const model = after({ net: undeclared, app: undeclared }, { kind: "deploy", values: first });
    const mutation = await answer(api.liveSystems.create(this.#definition(model)));
    this.#id = mutation.livesystemId;
    await this.#deployed(mutation, model);
    for (const path of paths) {
      const { resourceId } = await answer(api.liveSystems.components.get(this.#at(path)));
      this.#resources.set(path, resourceId ?? "");
    }
    await this.compare(model);
    return model;
  }

  /** Deletes the live system, and looks at what it leaves. */
  async end(model: Model): Promise<void> {
    const { api, answer, atConsole } = this.#world;
    await this.#over(await answer(api.liveSystems.delete({ id: this.#id })));
    const over: Model = { net: left(model.net), app: left(model.app) };
    await this.compare(over);
    for (const path of paths) await atConsole("DELETE", this.#resourceOf(path));
  }

  async carryOut(deed: Deed, before: Model, model: Model): Promise<void> {
    const { api, answer, pass, atConsole } = this.#world;
    switch (deed.kind) {
      case "tags":
        return void (await atConsole(
          "PUT",
          this.#resourceOf(deed.path),
          "/tags",
          tagsOf({ ...deed, why: deed.why ?? null }),
        ));
      case "edit":
        return void (await atConsole("PATCH", this.#resourceOf(deed.path), "/parameters", deed.values));
      case "remove":
        return void (await atConsole("DELETE", this.#resourceOf(deed.path)));
      case "recreate": {
        const made = { tags: tagsOf({ ...deed, why: null }), parameters: deed.values };
        return void (await atConsole("PUT", this.#resourceOf(deed.path), "", made));
      }
      case "check":
        return this.#check(deed.path, model[deed.path]);
      case "plan":
        return this.#plan(deed.path, model[deed.path]);
      case "annotate": {
        const { reason } = deed;
        const noted = api.liveSystems.components.annotateOverride(this.#at(deed.path), { reason });
        const code = await answer(noted.then(() => null, codeOf));
        const isHeld = before[deed.path].record?.status !== "Active";
        return same(`the note on ${deed.path}`, isHeld ? null : "InvalidState", code);
      }
      case "pass":
        return pass(cycleMs);
      case "deploy":
      case "leave":
      case "keep":
        if (deed.kind === "leave") this.#wrote.delete(deed.path);
        if (deed.kind === "keep") await this.#plan(deed.path, before[deed.path]);
        return this.#deployed(
          await answer(api.liveSystems.deploy({ id: this.#id }, this.#definition(model))),
          model,
          deed.kind === "leave" ? [deed.path] : [],
        );
    }
  }

  /** All that people see of both components: what the service shows, the ledger, and the resource itself. */
  async compare(model: Model): Promise<void> {
    const { api, answer, atConsole } = this.#world;
    for (const path of paths) {
      const one = model[path];
      const found = await answer(api.liveSystems.components.get(this.#at(path)).catch(unlessGone));
      same(path, one.record === null ? null : shownOf(one), found && shown(found));
      const resource = await atConsole("GET", this.#resourceOf(path));
      same(`the resource of ${path}`, one.resource && resourceOf(one.resource), resource && own(resource));
      const ledger = await answer(api.liveSystems.components.overrides(this.#at(path)).catch(unlessGone));
      const lines = ledger?.items.map(({ outcome, reason, start, end }) => {
        return { outcome, reason, start, end: end?.actual ?? null };
      });
      if (ledger !== null || one.record !== null) same(`the ledger of ${path}`, one.ledger.toReversed(), lines);
    }
  }

  async #check(path: Path, { record, resource, writes }: ModelComponent): Promise<void> {
    const { api, answer, now } = this.#world;
    const { component, acknowledgement } = await answer(api.liveSystems.components.check(this.#at(path)));
    const { managementTag, writesInFlight, observedAt, lastWriteAt } = acknowledgement;
    if (record === null) return;
    same(`the acknowledgement of ${path}`, [resource?.managed ?? null, 0], [managementTag, writesInFlight]);
    same(`when ${path} was read`, true, Math.abs(now() - Date.parse(observedAt ?? "")) < 1_000);
    // The writes of a request that was just stored come after the answer.
    if (component.status === "ReconcileRequested") return void this.#wrote.delete(path);
    const known = writes === 0 ? { writes, at: null } : this.#wrote.get(path);
    if (known?.writes === writes) same(`the last write to ${path}`, known.at, lastWriteAt);
    else same(`a new write to ${path}`, true, lastWriteAt !== null && lastWriteAt >= (known?.at ?? ""));
    this.#wrote.set(path, { writes, at: lastWriteAt });
  }

  async #plan(path: Path, { record, declared }: ModelComponent): Promise<void> {
    const { api, answer } = this.#world;
    if (record === null) return;
    const plan = await answer(api.liveSystems.components.adoptionPlan(this.#at(path)));
    const places = plan.changes.map((change) => [change.pointer.slice(1), change.declared, change.actual]);
    same(`the plan of ${path}`, driftOf(record.seen, declared), places.toSorted());
    const isPossible = record.status === "ManualOverride" && record.seen !== null && !record.lost;
    same(`whether ${path} can be handed back`, isPossible, plan.possible);
    const kept = plan.keepPatch
      .filter(({ op }) => op !== "test")
      .map(({ path: place, value }) => [place.split("/").at(-1), value]);
    const expected =
      record.seen === null ? [] : driftOf(record.seen, declared).map(([name, , actual]) => [name, actual]);
    same(`the patch that keeps ${path}`, expected, kept.toSorted());
  }

  async #deployed(mutation: Mutation, model: Model, gone: readonly Path[] = []): Promise<void> {
    const { status, held, released } = await this.#over(mutation);
    const isHeld = (path: Path) => model[path].record !== null && model[path].record?.status !== "Active";
    const left = gone.filter((path) => model[path].resource !== null);
    const ids = (some: readonly Path[]) => some.map((path) => `${this.#id}/${path}`).toSorted();
    same(
      "the deploy",
      ["Succeeded", ids(paths.filter(isHeld)), ids(left)],
      [status, held.toSorted(), released.toSorted()],
    );
  }

  /** Waits until a mutation is over. */
  async #over({ livesystemId: id, id: mutationId }: Mutation): Promise<Mutation> {
    const { api, answer, pass } = this.#world;
    for (let turns = 0; turns < 60; turns++) {
      const now = await answer(api.liveSystems.mutations.get({ id, mutationId }));
      if (now.status !== "Pending" && now.status !== "Running") return now;
      await pass(1_000);
    }
    throw new Differing("the mutation", "over", "still running");
  }

  #definition(model: Model): LiveSystemDefinition {
    const { environmentId } = this.#world;
    const components = paths.flatMap((path) => {
      const { record, declared } = model[path];
      const { size, tier } = declared;
      return record === null ? [] : [{ path, ...types[path], parameters: { size, tier } }];
    });
    return { name: "shop", environmentId, components };
  }

  #at(path: Path) {
    return { id: this.#id, componentId: `${this.#id}/${path}` };
  }

  #resourceOf(path: Path): string {
    return this.#resources.get(path) ?? "";
  }
}

const types = {
  net: { provider: "provider-a", type: "Microsoft.Network/virtualNetworks@2024-05-01" },
  app: { provider: "provider-a", type: "Microsoft.Web/sites@2024-04-01" },
} as const;

function same(place: string, expected: unknown, found: unknown): void {
  if (JSON.stringify(sorted(expected)) !== JSON.stringify(sorted(found))) throw new Differing(place, expected, found);
}

/** The same, with the members of objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  );
}

function tagsOf({ managed, asked, why }: { managed: boolean; asked: boolean; why: string | null }) {
  return {
    ...(managed && { "managed-by": "platform" }),
    ...(asked && { platform: "reconcile" }),
    ...(why !== null && { "platform-reason": why }),
  };
}

function resourceOf(resource: NonNullable<ModelComponent["resource"]>) {
  const { size, tier } = resource;
  return { tags: tagsOf(resource), parameters: { size, tier } };
}

function own({ tags, parameters }: { tags: object; parameters: object }) {
  return { tags, parameters };
}

/** What differs, place by place: the declared and the actual value. */
function driftOf(seen: Values | null, declared: Values): [string, unknown, unknown][] {
  return (["size", "tier"] as const).flatMap((name) => {
    const actual = seen === null ? null : seen[name];
    return actual === declared[name] ? [] : [[name, declared[name], actual] as [string, unknown, unknown]];
  });
}

function shownOf({ record, declared, ledger }: ModelComponent) {
  if (record === null) return null;
  const isHeld = record.status !== "Active";
  const drift = Object.fromEntries(
    driftOf(record.seen, declared).map(([name, wanted, actual]) => [name, { declared: wanted, actual }]),
  );
  const { awaiting, said } = record;
  const reason = ledger.at(-1)?.reason ?? null;
  return {
    status: record.status,
    override: isHeld ? { awaiting, said, reason } : null,
    drift: Object.keys(drift).length === 0 ? null : drift,
    inSync: record.seen !== null && !differs(record.seen, declared),
    exists: record.seen !== null,
  };
}

type Shown = Awaited<ReturnType<PeopleWorld["api"]["liveSystems"]["components"]["get"]>>;

function shown({ status, override, outputFields, conditions }: Shown) {
  const isHeld = override !== null && "awaiting" in override;
  return {
    status,
    override: isHeld
      ? { awaiting: override.awaiting, said: override.said?.reason ?? null, reason: override.reason }
      : null,
    drift: outputFields.drift ?? null,
    inSync: conditions.inSync.value === true,
    exists: conditions.exists.value,
  };
}

function unlessGone(error: unknown): null {
  if (isLiveplaneError(error, "NotFound")) return null;
  throw error;
}

function codeOf(error: unknown): string {
  if (isLiveplaneError(error)) return error.code;
  throw error;
}
