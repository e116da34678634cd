import type { CallSettings, RepeatSettings, VersionSettings } from "./call-arguments.ts";
import type { operations } from "./operations/operations.ts";
import type { OperationId } from "./routes.ts";
import type { CredentialOption, InOne, MethodOf, Params, Schema, TakesOf } from "./row.ts";

type Operations = typeof operations;

type At<Node, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends keyof Node
    ? At<Node[Head], Rest>
    : never
  : Path extends keyof Node
    ? Node[Path]
    : never;

type Row<Id extends OperationId> = At<Operations, Id>;
type Parsed<Of, Member extends string, Otherwise> = Of extends { readonly [name in Member]: Schema<infer T> }
  ? T
  : Otherwise;

/** One page of a list. `nextCursor` is `null` on the last. */
export interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
  /** What may be missing from the list, and why. @default nothing is known to be */
  readonly warnings?: string[];
}

/** The body of an operation; an empty object if it takes none. */
export type Body<Id extends OperationId> = Parsed<Row<Id>, "body", Record<never, never>>;

/** The query of an operation. */
export type Query<Id extends OperationId> = Parsed<Row<Id>, "query", Record<never, never>>;

/** The result of an operation: for a list one page, for a stream one event. */
export type Result<Id extends OperationId> =
  TakesOf<Id> extends "page" ? Page<Parsed<Row<Id>, "result", never>> : Parsed<Row<Id>, "result", never>;

/** Everything an operation receives, by name. */
export interface Input<Id extends OperationId> {
  readonly params: Params<Id>;
  readonly query: Query<Id>;
  readonly body: Body<Id>;
  /** The cloud credentials that it receives in headers. */
  readonly credentials: Credentials<Row<Id>>;
}

type Credentials<Of> = Of extends { readonly credentials: infer Cloud }
  ? {
      readonly [name in CredentialOption as name extends (
        Cloud extends "provider-a"
          ? `providerA${string}`
          : `providerB${string}`
      )
        ? name
        : never]?: string;
    }
  : Record<never, never>;

/** A write that accepts version conditions. */
type Versions<Of> = Of extends { readonly unconditional: true }
  ? unknown
  : Of extends { readonly versioned: true }
    ? VersionSettings
    : unknown;

/** A write that can be safely repeated: the caller is known, and the answer holds no secret. */
type Repeats<Of> = Of extends
  | { readonly secretResult: true }
  | { readonly access: { readonly who: "anyone" | "challenge" } }
  ? unknown
  : RepeatSettings;

type WriteSettings<Id extends OperationId> =
  MethodOf<Id> extends "GET" ? unknown : Versions<Row<Id>> & Repeats<Row<Id>>;

/** The last argument of a call: settings, the query, cloud credentials. */
export type Options<Id extends OperationId> = InOne<
  OneOrMany<Query<Id>> & Credentials<Row<Id>> & WriteSettings<Id> & CallSettings
>;

/** A query parameter that may repeat also accepts a single value. */
type OneOrMany<Of> = {
  [Member in keyof Of]: Of[Member] extends readonly (infer One)[] | undefined ? One | readonly One[] : Of[Member];
};

type ParamArgs<Id extends OperationId> = keyof Params<Id> extends never ? [] : [params: InOne<Params<Id>>];
type BodyArgs<Id extends OperationId> =
  Row<Id> extends { readonly body: Schema<unknown> }
    ? Row<Id> extends { readonly bodyOptional: true }
      ? [body?: Body<Id>]
      : [body: Body<Id>]
    : [];
type OptionArgs<Id extends OperationId> =
  Record<never, never> extends Query<Id> ? [options?: Options<Id>] : [options: Options<Id>];

/** The arguments of an operation: path parameters if the path has any, the body if there is one, options. */
export type Args<Id extends OperationId> = [...ParamArgs<Id>, ...BodyArgs<Id>, ...OptionArgs<Id>];

/** A list operation: one page per call, or all items. */
export interface List<Arguments extends unknown[], Item> {
  (...args: Arguments): Promise<Page<Item>>;
  /** Iterates over every item, loading pages as needed. */
  all(...args: Arguments): AsyncIterable<Item>;
}

type Method<Id extends OperationId, Answer> =
  TakesOf<Id> extends "page"
    ? List<Args<Id>, Answer>
    : TakesOf<Id> extends "stream"
      ? (...args: OptionArgs<Id>) => AsyncIterable<Answer>
      : (...args: Args<Id>) => Promise<Answer>;

type Calls<Node> = {
  readonly [Name in keyof Node]: Node[Name] extends {
    readonly id: infer Id extends OperationId;
    readonly result: Schema<infer Answer>;
  }
    ? Method<Id, Answer>
    : Calls<Node[Name]>;
};

/** The whole API, as the embedded core and the remote client both implement it. */
export interface Api extends Calls<Operations> {}
