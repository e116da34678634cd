import type { JudgedCloud, ResourceTruth, StoredComponent } from "./facts.ts";
import { caselessId, placeKey, rename } from "./names.ts";
import type { Observer, StepOf } from "./steps.ts";

/** The edition of a cloud's words at a write, by each place that it sent. */
type Seen = ReadonlyMap<string, number>;

/** The editions of their clouds' words that components have seen. */
export class Editions implements Observer {
  readonly #cloudOf: (component: Pick<StoredComponent, "provider">) => JudgedCloud;
  /**
   * The edition of the last write, by resource, and the process that alone knows its answer. Nobody learns from a slow write, because its
   * answer doesn't contain the resource.
   */
  readonly #written = new Map<string, { readonly seen: Seen; readonly process: string }>();
  /** The edition of the last write that wasn't answered yet, by resource. */
  readonly #unanswered = new Map<string, Seen>();
  /** The editions of the last writes whose results were stored, by component. */
  readonly #known = new Map<string, Seen>();

  constructor(cloudOf: (component: Pick<StoredComponent, "provider">) => JudgedCloud) {
    this.#cloudOf = cloudOf;
  }

  readonly observes: Observer["observes"] = {
    moved: ({ ids }) => rename(this.#known, ids),
    changed: ({ provider, change: { resourceId, after } }) => {
      if (after === null) this.#written.delete(placeKey(provider, resourceId));
    },
    wrote: ({ component, change }) => {
      const seen = change.straggler === undefined ? this.#seenBy(component, change) : null;
      if (seen !== null) this.#unanswered.set(placeKey(component.provider, change.resourceId), seen);
    },
    // Nobody learns from a write whose answer is lost.
    answered: ({ process, provider, resourceId, made }) => {
      const key = placeKey(provider, resourceId);
      const seen = this.#unanswered.get(key);
      this.#unanswered.delete(key);
      if (made && seen !== undefined) this.#written.set(key, { seen, process });
    },
    died: ({ process }) => {
      for (const [key, written] of this.#written) if (written.process === process) this.#written.delete(key);
    },
    "component-stored": (step) => this.#learn(step),
  };

  /** The editions that a component may still go by at a place: those since the last write that sent it. `undefined`: any. */
  since(
    component: StoredComponent,
    { parameters }: Pick<ResourceTruth, "parameters">,
    member: string,
  ): readonly number[] | undefined {
    const known = this.#known.get(caselessId(component))?.get(member);
    const now = this.#cloudOf(component).words?.editionOf(parameters) ?? 0;
    return known === undefined || known > now
      ? undefined
      : Array.from({ length: now - known + 1 }, (_, at) => known + at);
  }

  #seenBy(component: StoredComponent, { after, sent = [] }: StepOf<"wrote">["change"]): Seen | null {
    const { words } = this.#cloudOf(component);
    if (after === null || words === undefined || sent.length === 0) return null;
    const edition = words.editionOf(after.parameters);
    return new Map(sent.map((member) => [member, edition]));
  }

  /** What a write showed is only known if its result was read and stored by an agent that could learn from it. */
  #learn({ id, before, after }: StepOf<"component-stored">): void {
    if (before === null || after === null || before.identity !== after.identity) return void this.#known.delete(id);
    const written = this.#written.get(placeKey(after.provider, after.resource.id ?? ""));
    const isResult = before.lastWriteAt !== after.lastWriteAt && after.conditions.readable.value === true;
    const couldLearn = before.status === "Active" && after.status === "Active" && after.operation == null;
    if (isResult && couldLearn && written !== undefined)
      this.#known.set(id, new Map([...(this.#known.get(id) ?? []), ...written.seen]));
  }
}
