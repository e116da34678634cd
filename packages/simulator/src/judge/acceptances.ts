import type { Json } from "@liveplane/core/store";
import { isSameJson } from "./comparison.ts";
import type { WantedHistory } from "./declarations.ts";
import type { ResourceTruth, StoredComponent, StoredWitness, Wanted } from "./facts.ts";
import { caselessId, rename } from "./names.ts";
import type { Observer } from "./steps.ts";

/** What a person accepted at a place, and the declaration at that time. */
interface Accepted {
  readonly witness: StoredWitness;
  readonly declared: Wanted["parameters"];
}

/** The forms that people accepted. */
export class Acceptances implements Observer {
  readonly #declarations: WantedHistory;
  /** By component and place. */
  readonly #accepted = new Map<string, ReadonlyMap<string, Accepted>>();

  constructor(declarations: WantedHistory) {
    this.#declarations = declarations;
  }

  readonly observes: Observer["observes"] = {
    moved: ({ ids }) => rename(this.#accepted, ids),
    "component-stored": ({ id, after }) => {
      const settled = Object.entries(after?.settled ?? {}).filter(([, { by }]) => by === "person");
      if (after === null || settled.length === 0) return void this.#accepted.delete(id);
      // A component that is leaving is held to what was declared of it last.
      const declared = this.#declarations.last(after.liveSystemId, after.path)?.parameters;
      const accepted = settled.map(([place, witness]): [string, Accepted] => {
        const before = this.#accepted.get(id)?.get(place);
        return [place, before?.witness.at === witness.at ? before : { witness, declared }];
      });
      this.#accepted.set(id, new Map(accepted));
    },
  };

  /** The places where a resource shows what a person accepted. Of a secret's form nobody knows more than that there is one. */
  shownBy(component: StoredComponent, parameters: ResourceTruth["parameters"]): string[] {
    return [...this.of(component)]
      .filter(([place, { witness }]) => {
        const shown = valueAt(parameters, place);
        return witness.formDigest === undefined ? isSameJson(shown, witness.form) : shown !== null;
      })
      .map(([place]) => place);
  }

  /** What people accepted for a component, by place. */
  of(component: StoredComponent): ReadonlyMap<string, Accepted> {
    return this.#accepted.get(caselessId(component)) ?? new Map();
  }
}

function valueAt(parameters: ResourceTruth["parameters"], place: string): Json {
  let found: Json = parameters;
  for (const step of place.split("/").slice(1))
    found =
      typeof found === "object" && found !== null ? ((found as Readonly<Record<string, Json>>)[step] ?? null) : null;
  return found;
}
