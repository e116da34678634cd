import type { StoredComponent } from "./facts.ts";
import { caselessId, rename } from "./names.ts";
import type { Observer } from "./steps.ts";

interface Measure {
  readonly componentsOf: (liveSystemId: string) => readonly StoredComponent[];
  readonly holderOf: (provider: string, resourceId: string) => StoredComponent | null;
  readonly isAsDeclared: (component: StoredComponent) => boolean;
}

/** Until when each component matched its declaration. Observes a step after everything that it depends on. */
export class Convergence implements Observer {
  readonly #measure: Measure;
  readonly #until = new Map<string, number>();

  constructor(measure: Measure) {
    this.#measure = measure;
  }

  readonly observes: Observer["observes"] = {
    accepted: ({ mutation, order }) => {
      for (const component of this.#measure.componentsOf(mutation.liveSystemId)) {
        this.#end(caselessId(component), order);
        this.#note(component, order);
      }
    },
    moved: ({ ids }) => rename(this.#until, ids),
    "component-stored": ({ after, order }) => {
      if (after !== null) this.#note(after, order);
    },
    changed: ({ provider, change, order }) => this.#look(provider, change.resourceId, order),
    landed: ({ provider, change, order }) => this.#look(provider, change.resourceId, order),
  };

  /** The last position at which a component matched: infinity while it does, -1 if it never did. */
  until(component: StoredComponent): number {
    return this.#until.get(caselessId(component)) ?? -1;
  }

  #look(provider: string, resourceId: string, order: number) {
    const holder = this.#measure.holderOf(provider, resourceId);
    if (holder !== null) this.#note(holder, order);
  }

  #note(component: StoredComponent, order: number) {
    const key = caselessId(component);
    if (this.#measure.isAsDeclared(component)) this.#until.set(key, Number.POSITIVE_INFINITY);
    else this.#end(key, order);
  }

  #end(key: string, order: number) {
    if (this.#until.get(key) === Number.POSITIVE_INFINITY) this.#until.set(key, order - 1);
  }
}
