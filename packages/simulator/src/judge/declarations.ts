import { referencesOf } from "./comparison.ts";
import type { SentComponent, Wanted } from "./facts.ts";
import type { Observer } from "./steps.ts";

interface Accepted {
  readonly order: number;
  readonly mutationId: string;
  /** By path, without case. Empty for a delete. */
  readonly components: ReadonlyMap<string, Wanted>;
}

/** The declarations of each live system: only what was sent and accepted. */
export class WantedHistory implements Observer {
  readonly #accepted = new Map<string, Accepted[]>();

  readonly observes: Observer["observes"] = {
    accepted: ({ mutation: { id: mutationId, liveSystemId }, definition, movesAsked, order }) => {
      const before = this.#accepted.get(liveSystemId) ?? [];
      // A moved component has its new path in older declarations too.
      const called = movesAsked.size === 0 ? before : before.map((one) => renamed(one, movesAsked));
      const isExact = definition?.adopt === "exact";
      const components = new Map(
        (definition?.components ?? []).map((one) => {
          const adoptsExactly = isExact && typeof one.resourceId === "string";
          return [one.path.toLowerCase(), { ...wantedOf(one), ...(adoptsExactly && { adoptsExactly }) }];
        }),
      );
      this.#accepted.set(liveSystemId, [...called, { order, mutationId, components }]);
    },
  };

  /** The paths declared now. */
  paths(liveSystemId: string): readonly string[] {
    return [...(this.#accepted.get(liveSystemId)?.at(-1)?.components.keys() ?? [])];
  }

  /** The current declaration of a component; `null` if it isn't declared. */
  newest(liveSystemId: string, path: string): Wanted | null {
    return this.#accepted.get(liveSystemId)?.at(-1)?.components.get(path.toLowerCase()) ?? null;
  }

  /** The position of the newest acceptance. */
  acceptedAt(liveSystemId: string): number {
    return this.#accepted.get(liveSystemId)?.at(-1)?.order ?? 0;
  }

  /** The mutation that the newest acceptance started. */
  newestMutation(liveSystemId: string): string {
    return this.#accepted.get(liveSystemId)?.at(-1)?.mutationId ?? "";
  }

  /** The declarations of a component in force at any time since a position, newest last. */
  inForceSince(liveSystemId: string, path: string, order: number): readonly Wanted[] {
    const all = this.#accepted.get(liveSystemId) ?? [];
    const first = all.findLastIndex((one) => one.order <= order);
    return all.slice(Math.max(0, first)).flatMap(({ components }) => components.get(path.toLowerCase()) ?? []);
  }

  /** Whether it was undeclared at some time since a position. */
  wasUndeclaredSince(liveSystemId: string, path: string, order: number): boolean {
    const all = this.#accepted.get(liveSystemId) ?? [];
    const first = all.findLastIndex((one) => one.order <= order);
    return all.slice(Math.max(0, first)).some(({ components }) => !components.has(path.toLowerCase()));
  }

  /** Its last declaration, even if it isn't declared any more. */
  last(liveSystemId: string, path: string, until = Number.POSITIVE_INFINITY): Wanted | null {
    const all = (this.#accepted.get(liveSystemId) ?? []).filter(({ order }) => order <= until);
    return (
      all.findLast(({ components }) => components.has(path.toLowerCase()))?.components.get(path.toLowerCase()) ?? null
    );
  }

  /** What a mutation deploys; `null` if it is unknown. */
  of(liveSystemId: string, mutationId: string): ReadonlyMap<string, Wanted> | null {
    return this.#accepted.get(liveSystemId)?.find((one) => one.mutationId === mutationId)?.components ?? null;
  }

  /** The last accepted mutation; `null` if none. */
  lastMutation(liveSystemId: string): string | null {
    return this.#accepted.get(liveSystemId)?.at(-1)?.mutationId ?? null;
  }

  orderOf(liveSystemId: string, mutationId: string): number {
    return this.#accepted.get(liveSystemId)?.find((one) => one.mutationId === mutationId)?.order ?? 0;
  }
}

function renamed({ components, ...accepted }: Accepted, moves: ReadonlyMap<string, string>): Accepted {
  const now = (path: string) => moves.get(path.toLowerCase()) ?? path;
  const came = new Set(moves.values());
  const kept = [...components].filter(([path]) => moves.has(path) || !came.has(path));
  const called = kept.map(([path, { needs, overrideWith, ...rest }]): [string, Wanted] => [
    now(path),
    { ...rest, needs: needs.map(now), overrideWith: overrideWith == null ? null : now(overrideWith) },
  ]);
  return { ...accepted, components: new Map(called) };
}

export function wantedOf(component: SentComponent): Wanted {
  return { ...component, needs: neededBy(component, []) };
}

/** What a component still needs once its resource exists: references at ignored places only count at its creation. */
export function neededOnceMade(component: SentComponent): readonly string[] {
  return neededBy(component, component.ignoreChanges ?? []);
}

function neededBy({ parameters, dependsOn }: SentComponent, ignored: readonly string[]): string[] {
  const implied = referencesOf(parameters as never, ignored).flatMap((one) =>
    one.kind === "output" ? [one.path] : [],
  );
  return [...new Set([...(dependsOn ?? []), ...implied])];
}
