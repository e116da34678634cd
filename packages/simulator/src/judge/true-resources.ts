import type { ResourceTruth } from "./facts.ts";
import { placeKey } from "./names.ts";
import type { Observer } from "./steps.ts";

/** The actual resources, whoever reads them. */
export class TrueResources implements Observer {
  readonly #truth = new Map<string, ResourceTruth>();
  readonly #givenUp = new Set<string>();
  /** The IDs of what was created with an intent. */
  readonly #made = new Map<string, string[]>();

  readonly observes: Observer["observes"] = {
    changed: ({ process, provider, change: { resourceId, before, after } }) => {
      const key = placeKey(provider, resourceId);
      const { intent = null } = after ?? {};
      if (before === null && intent !== null) this.#made.set(intent, [...this.madeWith(intent), resourceId]);
      // A failed write was repeated, or belonged to another resource.
      if (process !== null || (before === null && after !== null)) this.#givenUp.delete(key);
      this.#note(key, after);
    },
    landed: ({ provider, change: { resourceId, after, failed } }) => {
      const key = placeKey(provider, resourceId);
      if (failed) this.#givenUp.add(key);
      this.#note(key, after);
    },
  };

  /** A resource now; `null` if there is none. */
  at(provider: string, resourceId: string | null): ResourceTruth | null {
    return resourceId === null ? null : (this.#truth.get(placeKey(provider, resourceId)) ?? null);
  }

  /** The IDs of the resources that were created with an intent. A process that looks for it reads one of them. */
  madeWith(intent: string | null): readonly string[] {
    return this.#made.get(intent ?? "") ?? [];
  }

  isAt(key: string): boolean {
    return this.#truth.has(key);
  }

  /** Whether the cloud gave up the last request for a resource. */
  isGivenUp(provider: string, resourceId: string | null): boolean {
    return this.#givenUp.has(placeKey(provider, resourceId ?? ""));
  }

  #note(key: string, after: ResourceTruth | null) {
    if (after === null) this.#truth.delete(key);
    else this.#truth.set(key, after);
  }
}
