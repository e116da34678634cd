import type { Observer, Sighting } from "./steps.ts";

/** How long a process's reads are kept. */
const keptMs = 120_000;

/** The direct reads of processes. */
export class Sightings implements Observer {
  readonly #byName = new Map<string, Sighting[]>();

  readonly observes: Observer["observes"] = {
    read: ({ process, name, reading, order, at }) => {
      const key = `${process} ${name.toLowerCase()}`;
      const kept = (this.#byName.get(key) ?? []).filter((one) => one.at >= at - keptMs);
      this.#byName.set(key, [...kept, { order, at, reading }]);
    },
  };

  /** A process's reads of resources, or by intents, since a position. */
  of(process: string, names: readonly (string | null)[], after = 0): Sighting[] {
    const keys = new Set(names.flatMap((name) => (name === null ? [] : [`${process} ${name.toLowerCase()}`])));
    const found = [...keys].flatMap((key) => this.#byName.get(key) ?? []);
    return found.filter(({ order }) => order > after).sort((a, b) => a.order - b.order);
  }
}
