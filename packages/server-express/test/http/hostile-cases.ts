import { toOpenApi } from "@liveplane/core/contract";
import fc from "fast-check";
import { codePoint } from "../../../core/test/builders/code-points.ts";
import { foulHeaders, foulNames, foulResourceIds, overlong, own, someoneElses } from "./hostile-values.ts";

/** A request that nobody decent would send. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | undefined;
  readonly who: "stranger" | "owner" | "operator";
  /** Sent to its end, broken off in the middle, or left alone before the answer. */
  readonly manner: "whole" | "half" | "left";
}

type Node = Readonly<Record<string, unknown>>;

interface Operation {
  readonly method: string;
  readonly template: string;
  readonly query: readonly string[];
  readonly body: Node | undefined;
}

/** Whoever attacks must not lose the right to go on. */
const spared = new Set([
  "delete /accounts/me",
  "delete /accounts/{accountId}",
  "post /accounts/{accountId}/suspend",
  "post /auth/revoke",
  "delete /organizations/{organizationId}",
  "delete /environments/{type}/{ownerId}/{shortName}",
  "delete /livesystems/{id}",
]);

const document = JSON.parse(JSON.stringify(toOpenApi({ serverUrl: "/" }))) as Node;
const operations: readonly Operation[] = Object.entries(document.paths as Record<string, Node>).flatMap(
  ([template, item]) =>
    Object.entries(item)
      .filter(([method]) => ["get", "post", "put", "delete"].includes(method))
      .filter(([method]) => !spared.has(`${method} ${template}`))
      .map(([method, of]) => {
        const { parameters = [], requestBody } = of as { parameters?: Node[]; requestBody?: Node };
        const content = (requestBody?.content as Record<string, Node> | undefined)?.["application/json"];
        const query = parameters.map(resolved).filter((parameter) => parameter.in === "query");
        return {
          method: method.toUpperCase(),
          template,
          query: query.map(({ name }) => String(name)),
          body: content?.schema as Node | undefined,
        };
      }),
);

function resolved(node: Node): Node {
  if (typeof node.$ref !== "string") return node;
  return resolved(
    node.$ref
      .slice(2)
      .split("/")
      .reduce<Node>((at, part) => at[part] as Node, document),
  );
}

const nasty = [
  "",
  " ",
  "\u0000",
  "\u0007",
  "\ud800",
  "\u202e",
  "é",
  "𝒳".repeat(40),
  "null",
  "undefined",
  "NaN",
  "__proto__",
  "constructor",
  "../../etc/passwd",
  "..%2f..%2fetc",
  "%00",
  "%zz",
  "'; DROP TABLE kv; --",
  "$\u007b7*7}",
  "<script>alert(1)</script>",
  "{{x}}",
  "*",
  "?",
  "#",
  "a/b",
  "\\",
  "\r\nX-Injected: 1",
  "x".repeat(300),
  "-1",
  "1e400",
  "9".repeat(40),
  "2026-13-45T99:99:99Z",
  "Personal",
  "bulk",
  "me",
];
const text = fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: codePoint, maxLength: 40 }), fc.uuid());
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -0, 1e308, -1, 2 ** 53, 1.5));
const junk: fc.Arbitrary<unknown> = fc.oneof(
  text,
  number,
  fc.constantFrom(null, true, false, [], {}),
  fc.jsonValue({ maxDepth: 4 }),
  fc.integer({ min: 1, max: 300 }).map(nested),
  fc.array(text, { maxLength: 120 }),
  fc.dictionary(text, number, { maxKeys: 8 }),
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? { a: value } : [value];
  return value;
}

function manyMembers(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]));
}

/** Mostly what the schema asks for, so that the way in is long, with something foul in it now and then. */
function bodyFor(schema: Node | undefined, depth = 0, name = ""): fc.Arbitrary<unknown> {
  if (schema === undefined || depth > 6) return junk;
  const good = { arbitrary: decent(resolved(schema), depth), weight: 5 };
  return fc.oneof(good, { arbitrary: junk, weight: 1 }, ...foulFor(name));
}

/** What is foul for members of such a name. */
function foulFor(name: string): { arbitrary: fc.Arbitrary<string>; weight: number }[] {
  if (/resourceId$/i.test(name)) return [{ arbitrary: foulResourceIds, weight: 3 }];
  return /name|email|address/i.test(name) ? [{ arbitrary: foulNames, weight: 2 }] : [];
}

function decent(schema: Node, depth: number): fc.Arbitrary<unknown> {
  const choices = (schema.oneOf ?? schema.anyOf) as Node[] | undefined;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => bodyFor(choice, depth + 1)));
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  if (schema.const !== undefined) return fc.constant(schema.const);
  const kinds = [schema.type].flat() as string[];
  const decents = kinds.map((kind) => ofKind(kind, schema, depth));
  return fc.oneof(...decents);
}

function ofKind(kind: string, schema: Node, depth: number): fc.Arbitrary<unknown> {
  if (kind === "null") return fc.constant(null);
  if (kind === "boolean") return fc.boolean();
  if (kind === "integer" || kind === "number") return number;
  if (kind === "array") return fc.array(bodyFor(schema.items as Node, depth + 1), { maxLength: 5 });
  if (kind === "object") {
    const members = Object.entries((schema.properties ?? {}) as Record<string, Node>);
    const known = fc.record(Object.fromEntries(members.map(([name, of]) => [name, bodyFor(of, depth + 1, name)])), {
      requiredKeys: [],
    });
    const strange = fc.oneof(
      { arbitrary: fc.dictionary(text, junk, { maxKeys: 2 }), weight: 20 },
      fc.constantFrom(300, 999, 1001, 3000).map(manyMembers),
    );
    return fc
      .tuple(known, fc.oneof({ arbitrary: fc.constant({}), weight: 4 }, strange))
      .map(([a, b]) => ({ ...a, ...b }));
  }
  if (schema.format === "uuid" || typeof schema.pattern === "string")
    return fc.oneof(fc.uuid(), fc.constantFrom(...Object.values(own), ...Object.values(someoneElses)), text);
  if (schema.format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  return fc.oneof(text, fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/));
}

const escapes = [
  (value: string) => encodeURIComponent(value.toWellFormed()),
  (value: string) => value.replaceAll(/[^\x21-\x7e]/g, "").replaceAll(/[?#\s]/g, ""),
  (value: string) => encodeURIComponent(encodeURIComponent(value.toWellFormed())),
  (value: string) => [...Buffer.from(value)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
] as const;

function segment(name: string, inEnvironment: boolean): fc.Arbitrary<string> {
  const of = (ids: typeof own): string => {
    const good: Readonly<Record<string, string>> = {
      type: "Personal",
      ownerId: ids.accountId,
      accountId: ids.accountId,
      organizationId: ids.organizationId,
      id: ids.livesystemId,
      componentId: `${ids.livesystemId}/web`,
      shortName: inEnvironment ? "demo" : "web",
    };
    return good[name] ?? (name.endsWith("Id") && name !== "principalId" ? ids.accountId : "web");
  };
  const foul = fc.tuple(text, fc.constantFrom(...escapes)).map(([value, write]) => write(value));
  return fc.oneof(
    { arbitrary: fc.constant(encodeURIComponent(of(own))), weight: 12 },
    { arbitrary: fc.constant(encodeURIComponent(of(someoneElses))), weight: 3 },
    { arbitrary: foul, weight: 1 },
  );
}

const anyId = fc.constantFrom(...Object.values(own), ...Object.values(someoneElses));

function pathOf({ template, query }: Operation): fc.Arbitrary<string> {
  const parts = template.split("/").map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? fc.constant(part) : segment(name, template.startsWith("/environments"));
  });
  const written = fc.tuple(fc.constantFrom(...query, "unknown", "__proto__", "limit", "cursor"), fc.oneof(text, anyId));
  const search = fc
    .oneof({ arbitrary: fc.constant([]), weight: 2 }, fc.array(written, { maxLength: 3 }))
    .map((members) => members.map(([name, value]) => `${name}=${escapes[0](value)}`).join("&"));
  const trick = fc.oneof(
    { arbitrary: fc.constant(""), weight: 6 },
    fc.constantFrom("/", "/.", "/../../", "//", ";x=1", "%2f", "%", "?", "?&&==", "?%00=%zz"),
  );
  return fc.tuple(fc.tuple(...parts), search, trick).map(([segments, members, tail]) => {
    const path = segments.join("/");
    return (members === "" ? path + tail : `${path}?${members}`) || "/";
  });
}

const tricks = fc
  .array(fc.oneof(...foulHeaders.map(([name, values]) => values.map((value) => [name, value] as const))), {
    maxLength: 3,
  })
  .map((list) => ({ "content-type": "application/json", ...Object.fromEntries(list) }));
const longBody = `[${"1,".repeat(60_000)}1]`;

function bodyOf({ body }: Operation): fc.Arbitrary<string | undefined> {
  const json = bodyFor(body).map((value) => JSON.stringify(value) ?? "");
  const mangled = fc
    .tuple(json, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([sent, part]) => sent.slice(0, sent.length * part));
  const any = fc.oneof(
    { arbitrary: json, weight: 6 },
    mangled,
    fc.string({ unit: codePoint }),
    fc.constant(longBody),
    overlong,
  );
  return body === undefined ? fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, any) : any;
}

/** Requests made from the OpenAPI document, gone wrong in every part. */
export const hostileRequests: fc.Arbitrary<HostileRequest> = fc.oneof(
  ...operations.map((operation) =>
    fc.record({
      method: fc.oneof(
        { arbitrary: fc.constant(operation.method), weight: 8 },
        fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND"),
      ),
      path: pathOf(operation),
      headers: tricks,
      body: bodyOf(operation),
      who: fc.oneof({ arbitrary: fc.constant("owner" as const), weight: 4 }, fc.constantFrom("stranger", "operator")),
      manner: fc.oneof({ arbitrary: fc.constant("whole" as const), weight: 12 }, fc.constantFrom("half", "left")),
    }),
  ),
);
