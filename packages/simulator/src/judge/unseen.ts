import type { JudgedWorld, StoredComponent } from "./facts.ts";
import { placeKey } from "./names.ts";
import type { Sends } from "./sends.ts";
import type { Sightings } from "./sightings.ts";
import type { Observer, StepOf } from "./steps.ts";

/** What is asked about a new resource. */
interface Asked {
  readonly clouds: JudgedWorld["clouds"];
  readonly sends: Sends;
  readonly sightings: Sightings;
  readonly isThere: (component: StoredComponent) => boolean;
}

/** The resources reported as created that nobody has seen since, because their cloud doesn't show them yet. */
export class Unseen implements Observer {
  readonly #asked: Asked;
  readonly #places = new Set<string>();

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  readonly observes: Observer["observes"] = {
    "component-stored": (step) => {
      if (this.#isMadeUnseen(step)) this.#places.add(this.#placeOf(step.after));
    },
    read: ({ name, reading }) => {
      if (this.#places.size === 0 || isNothing(reading)) return;
      for (const { provider } of this.#asked.clouds) this.#places.delete(placeKey(provider, name));
    },
    changed: ({ provider, change }) => this.#forget(provider, change),
    landed: ({ provider, change }) => this.#forget(provider, change),
  };

  /** Whether a component's resource exists and was never seen. */
  has(component: StoredComponent): boolean {
    return this.#places.has(this.#placeOf(component));
  }

  #isMadeUnseen({ before, after, process, events, id }: StepOf<"component-stored">): boolean {
    if (before === null || after?.resource.id == null || after.updatedBy !== "agent") return false;
    const isTold = events.some(({ type, subject }) => type === "component.provisioned" && subject.toLowerCase() === id);
    const { sends, sightings, isThere } = this.#asked;
    if (!isTold || before.lastWriteAt === after.lastWriteAt || !isThere(after)) return false;
    const made = sends.lastWrite(after.provider, after.resource.id)?.sent;
    if (made?.operation !== "create") return false;
    return sightings.of(process, [after.resource.id], made.order).every(({ reading }) => isNothing(reading));
  }

  #placeOf(component: StoredComponent | null): string {
    return placeKey(component?.provider ?? "", component?.resource.id ?? "");
  }

  #forget(provider: string, { resourceId, after }: StepOf<"changed">["change"]) {
    if (after === null) this.#places.delete(placeKey(provider, resourceId));
  }
}

function isNothing({ state }: StepOf<"read">["reading"]): boolean {
  return state === "missing" || state === "unreadable";
}
