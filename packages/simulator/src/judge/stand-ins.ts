import type { StoredComponent, Wanted } from "./facts.ts";
import { caselessId, rename } from "./names.ts";
import type { Observer } from "./steps.ts";

/** What is asked about governors. */
interface Declared {
  readonly componentsOf: (liveSystemId: string) => readonly StoredComponent[];
  /** Whether a person controls a component, by its ID without case. */
  readonly isHeld: (id: string) => boolean;
  /** A component's last declaration, before a new one is in force. */
  readonly lastDeclared: (component: StoredComponent) => Wanted | null;
}

/** A governor that a person controls stays the governor until it is handed back, whatever is declared since. */
export class StandIns implements Observer {
  readonly #declared: Declared;
  readonly #standsFor = new Map<string, string>();
  /** Live systems in which components took each other's names. Which of the two governs is what the agent says. */
  readonly #swapped = new Set<string>();

  constructor(declared: Declared) {
    this.#declared = declared;
  }

  readonly observes: Observer["observes"] = {
    accepted: ({ mutation: { liveSystemId } }) => {
      const { componentsOf, isHeld, lastDeclared } = this.#declared;
      for (const component of componentsOf(liveSystemId)) {
        const id = caselessId(component);
        const known = this.#standsFor.get(id);
        // A component that was deleted and returns was governed by its last declaration, one that was never there by nothing yet.
        const named = `${liveSystemId}/${lastDeclared(component)?.overrideWith}`.toLowerCase();
        const isNew = !component.provisioned && component.governedBy == null;
        const other = known !== undefined && isHeld(known) ? known : named;
        if (isHeld(other) && !isNew) this.#standsFor.set(id, other);
        else this.#standsFor.delete(id);
      }
    },
    moved: ({ ids }) => {
      for (const [from, to] of ids) if (ids.has(to)) this.#swapped.add(from.slice(0, from.indexOf("/")));
      rename(this.#standsFor, ids);
      for (const [id, other] of this.#standsFor) this.#standsFor.set(id, ids.get(other) ?? other);
    },
  };

  /** The ID of a component's governor, without case. */
  of(component: StoredComponent): string | undefined {
    const { liveSystemId, governedBy } = component;
    const isSwapped = governedBy != null && this.#swapped.has(liveSystemId.toLowerCase());
    return isSwapped ? `${liveSystemId}/${governedBy}`.toLowerCase() : this.#standsFor.get(caselessId(component));
  }
}
