import type { StoredComponent, Wanted } from "./facts.ts";
import { caselessId, rename } from "./names.ts";
import type { Observer } from "./steps.ts";

/** What is asked about the components that stand for others. */
interface Declared {
  readonly componentsOf: (liveSystemId: string) => readonly StoredComponent[];
  /** Whether a person holds a component, by its id without case. */
  readonly isHeld: (id: string) => boolean;
  /** What was declared of a component last. Asked before a new declaration is in force. */
  readonly lastDeclared: (component: StoredComponent) => Wanted | null;
}

/** A component that stands for another one while a person holds it does so until it is given back, whatever is declared since. */
export class StandIns implements Observer {
  readonly #declared: Declared;
  readonly #standsFor = new Map<string, string>();

  constructor(declared: Declared) {
    this.#declared = declared;
  }

  readonly observes: Observer["observes"] = {
    accepted: ({ mutation: { liveSystemId } }) => {
      const { componentsOf, isHeld, lastDeclared } = this.#declared;
      for (const component of componentsOf(liveSystemId)) {
        const id = caselessId(component);
        const known = this.#standsFor.get(id);
        // A component that left meanwhile and comes back followed what was declared of it last.
        const named = `${liveSystemId}/${lastDeclared(component)?.overrideWith}`.toLowerCase();
        const other = known !== undefined && isHeld(known) ? known : named;
        if (isHeld(other)) this.#standsFor.set(id, other);
        else this.#standsFor.delete(id);
      }
    },
    moved: ({ ids }) => {
      rename(this.#standsFor, ids);
      for (const [id, other] of this.#standsFor) this.#standsFor.set(id, ids.get(other) ?? other);
    },
  };

  /** The id of the component that stands for another one, without case. */
  of(component: StoredComponent): string | undefined {
    return this.#standsFor.get(caselessId(component));
  }
}
