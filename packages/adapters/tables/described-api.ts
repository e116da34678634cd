/**
 * What a member holds: `string`, `number`, `boolean`, `any`, `#Schema`, `[]…` a list, `{}…` a map; or members of its own. Behind the type:
 * `!` required, `-` read-only, `=` set at creation, `*` never shown.
 */
export type MemberType = string | MemberTypes;

/** Members by name; `*` is any other. */
export interface MemberTypes {
  readonly [name: string]: MemberType;
}

/** A default that isn't empty. */
export type Default = string | number | true;

/** One operation, as its description has it. */
export interface DescribedOperation {
  /** The service or package, and the operation's name there. */
  readonly id: string;
  readonly method: string;
  /** With `{}` for what is any segment, `{+}` for any number of them. */
  readonly path: string;
  /** Names in the query; one that must be there ends in `!`, one that must have a value says it behind `=`. */
  readonly query: readonly string[];
  /** Headers of its own, in lower case. */
  readonly headers: readonly string[];
  /** The type of the body; `null`: it takes none. */
  readonly body: string | null;
  /** The body may be left out. */
  readonly bodyIsOptional?: true;
  /** The type of the body by status; `null`: none. */
  readonly answers: Readonly<Record<string, string | null>>;
}

/** What a vendor's descriptions say, as far as they were taken. */
export interface DescribedApi {
  readonly operations: readonly DescribedOperation[];
  readonly schemas: Readonly<Record<string, MemberTypes>>;
}

/** The marks behind a type. */
export const marks = { required: "!", readOnly: "-", immutable: "=", hidden: "*" } as const;

/** The same members in the order of their names, so that a table is the same whoever reads the packages. */
export function ordered<Value>(members: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}
