import type { Api } from "@liveplane/client";

export type SystemDeclaration = Parameters<Api["liveSystems"]["deploy"]>[1];

/** A declaration in force, with its version. */
export interface DeclaredSystem {
  readonly id: string;
  readonly definition: SystemDeclaration;
  readonly version: string;
}

/** How a declaration changed, by the paths of its components. */
export interface DeclarationChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** Members besides the components: name, description, places. */
  readonly others: readonly string[];
}

/** The differences between two declarations. */
export function changesBetween(before: SystemDeclaration, after: SystemDeclaration): DeclarationChanges {
  const [known, now] = [componentsOf(before), componentsOf(after)];
  const [{ components: _, ...head }, { components: __, ...newHead }] = [before, after];
  const members = [...new Set([...Object.keys(head), ...Object.keys(newHead)])] as (keyof typeof head)[];
  return {
    added: [...now.keys()].filter((path) => !known.has(path)),
    removed: [...known.keys()].filter((path) => !now.has(path)),
    changed: [...now].filter(([path, text]) => known.has(path) && known.get(path) !== text).map(([path]) => path),
    others: members.filter((name) => canonical(head[name]) !== canonical(newHead[name])),
  };
}

/** Whether two declarations mean the same. */
export function declaresSame(one: SystemDeclaration, other: SystemDeclaration): boolean {
  return canonical(one) === canonical(other);
}

const componentsOf = ({ components }: SystemDeclaration) =>
  new Map(components.map((one) => [one.path, canonical(one)]));

/** Omitted and null members mean the same, and so does another order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    const said = Object.entries(inner).filter(([, member]) => member !== null);
    return Object.fromEntries(said.toSorted(([name], [other]) => (name < other ? -1 : 1)));
  });
}
