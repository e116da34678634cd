import type { CallSettings } from "./calls.ts";
import type { operations } from "./operations.ts";
import type { OperationId } from "./routes.ts";
import type { CredentialOption, Operation, Params, RowOptions, Schema, TakesOf } from "./row.ts";

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
}

/** The body of an operation; an empty object where it takes none. */
export type Body<Id extends OperationId> = Parsed<Row<Id>, "body", Record<never, never>>;

/** The query of an operation. */
export type Query<Id extends OperationId> = Parsed<Row<Id>, "query", Record<never, never>>;

/** What an operation answers: of a list one page, of a stream one event. */
export type Result<Id extends OperationId> =
  TakesOf<Id> extends "page" ? Page<Parsed<Row<Id>, "result", never>> : Parsed<Row<Id>, "result", never>;

/** Everything that comes into an operation, by name. */
export interface Input<Id extends OperationId> {
  readonly params: Params<Id>;
  readonly query: Query<Id>;
  readonly body: Body<Id>;
  /** The cloud credentials that it takes in headers. */
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

type QueryOf<Of> = Parsed<Of, "query", Record<never, never>>;
type OptionsOf<Of> = CallSettings & QueryOf<Of> & Credentials<Of>;
type OptionArgs<Of> = Record<never, never> extends QueryOf<Of> ? [options?: OptionsOf<Of>] : [options: OptionsOf<Of>];
type BodyArgs<Of> = Of extends { readonly body: Schema<infer B>; readonly bodyOptional: true }
  ? [body?: B]
  : Of extends { readonly body: Schema<infer B> }
    ? [body: B]
    : [];
type ParamArgs<Id extends OperationId> = keyof Params<Id> extends never ? [] : [params: Params<Id>];
type IdOf<Of> = Of extends Operation<infer Id, RowOptions> ? Id : never;

/** The arguments of a row: path parameters if the path has any, the body if there is one, options. */
type Args<Of> = [...ParamArgs<IdOf<Of>>, ...BodyArgs<Of>, ...OptionArgs<Of>];

/** A list: one page per call, or everything, page after page. */
export interface List<Arguments extends unknown[], Item> {
  (...args: Arguments): Promise<Page<Item>>;
  /** Every item, asking for the next page when it is needed. */
  all(...args: Arguments): AsyncIterable<Item>;
}

type Method<Of> = Of extends { readonly id: infer Id extends OperationId; readonly result: Schema<infer Answer> }
  ? TakesOf<Id> extends "page"
    ? List<Args<Of>, Answer>
    : TakesOf<Id> extends "stream"
      ? (...args: OptionArgs<Of>) => AsyncIterable<Answer>
      : (...args: Args<Of>) => Promise<Answer>
  : never;

type Calls<Node> = {
  readonly [Name in keyof Node]: Node[Name] extends { readonly id: OperationId }
    ? Method<Node[Name]>
    : Calls<Node[Name]>;
};

/** The whole API, as the embedded core and the remote client both implement it. */
export interface Api extends Calls<Operations> {}
