import { toOpenApi } from "@liveplane/core/contract";
import fc from "fast-check";

/** A request that nobody decent would send. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly who: "stranger" | "owner" | "operator";
}

/** What the requests are aimed at. */
export interface Target {
  readonly accountId: string;
  readonly organizationId: string;
  readonly livesystemId: string;
}

type Node = Readonly<Record<string, unknown>>;

interface Operation {
  readonly method: string;
  readonly template: string;
  readonly query: readonly string[];
  readonly body: Node | undefined;
}

/** A stream has no end to wait for; and whoever attacks must not lose the right to go on. */
const spared = new Set([
  "get /events",
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
const text = fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: "binary", maxLength: 40 }), fc.uuid());
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

/** Mostly what the schema asks for, so that the way in is long, with something foul in it now and then. */
function bodyFor(schema: Node | undefined, depth = 0): fc.Arbitrary<unknown> {
  if (schema === undefined || depth > 6) return junk;
  return fc.oneof({ arbitrary: decent(resolved(schema), depth), weight: 5 }, { arbitrary: junk, weight: 1 });
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
    const known = fc.record(Object.fromEntries(members.map(([name, of]) => [name, bodyFor(of, depth + 1)])), {
      requiredKeys: [],
    });
    const strange = fc.dictionary(text, junk, { maxKeys: 2 });
    return fc
      .tuple(known, fc.oneof({ arbitrary: fc.constant({}), weight: 4 }, strange))
      .map(([a, b]) => ({ ...a, ...b }));
  }
  if (schema.format === "uuid") return fc.uuid();
  if (schema.format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  return fc.oneof(text, fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/));
}

const escapes = [
  (value: string) => encodeURIComponent(value.toWellFormed()),
  (value: string) => value.replaceAll(/[^\x21-\x7e]/g, "").replaceAll(/[?#\s]/g, ""),
  (value: string) => encodeURIComponent(encodeURIComponent(value.toWellFormed())),
  (value: string) => [...Buffer.from(value)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
] as const;

function segment(name: string, target: Target, inEnvironment: boolean): fc.Arbitrary<string> {
  const good: Readonly<Record<string, string>> = {
    type: "Personal",
    ownerId: target.accountId,
    accountId: target.accountId,
    organizationId: target.organizationId,
    id: target.livesystemId,
    componentId: `${target.livesystemId}/web`,
    shortName: inEnvironment ? "demo" : "web",
  };
  const decentOne = good[name] ?? (name.endsWith("Id") && name !== "principalId" ? target.accountId : "web");
  const foul = fc.tuple(text, fc.constantFrom(...escapes)).map(([value, write]) => write(value));
  return fc.oneof(
    { arbitrary: fc.constant(encodeURIComponent(decentOne)), weight: 14 },
    { arbitrary: foul, weight: 1 },
  );
}

function pathOf({ template, query }: Operation, target: Target): fc.Arbitrary<string> {
  const parts = template.split("/").map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? fc.constant(part) : segment(name, target, template.startsWith("/environments"));
  });
  const written = fc.tuple(fc.constantFrom(...query, "unknown", "__proto__", "limit", "cursor"), text);
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

const visible = (value: string) => value.replaceAll(/[^\x20-\x7e\t]/g, "").trim();
const headerTricks: readonly (readonly [string, fc.Arbitrary<string>])[] = [
  [
    "accept",
    fc.constantFrom(
      "*/*",
      "text/html",
      "application/json;q=nope",
      ",,,",
      "a".repeat(2000),
      "application/json; q=0.0001",
    ),
  ],
  ["api-version", fc.constantFrom("1", "0", "latest", "1, 1")],
  ["if-match", fc.constantFrom("*", '"1"', 'W/"1"', '"', '"a" "b"', ",", "x".repeat(5000))],
  ["if-none-match", fc.constantFrom("*", '"1"', "x")],
  ["idempotency-key", text.map(visible)],
  ["x-request-id", text.map(visible)],
  [
    "content-type",
    fc.constantFrom(
      "text/plain",
      "application/json; charset=utf-7",
      "application/json;;;",
      "application/x-www-form-urlencoded",
      "",
    ),
  ],
  ["content-encoding", fc.constantFrom("gzip", "identity", "br, gzip", "*")],
  ["x-forwarded-for", fc.constantFrom("127.0.0.1", "::1, x", ",,", "y".repeat(1000))],
  ["x-http-method-override", fc.constantFrom("DELETE", "GET")],
  [
    "authorization",
    fc.constantFrom("Bearer", "Bearer ..", "Bearer a.b.c", "Basic !!", `Bearer ${"a.".repeat(2000)}`, "Negotiate x"),
  ],
  ["host", fc.constantFrom("evil.example", "", "[::1]:x", "a b")],
  ["last-event-id", text.map(visible)],
  ["expect", fc.constantFrom("100-continue", "200-ok")],
  ["range", fc.constantFrom("bytes=0-1", "bytes=-")],
  ["origin", fc.constantFrom("null", "https://evil.example")],
];

const tricks = fc
  .array(fc.oneof(...headerTricks.map(([name, values]) => values.map((value) => [name, value] as const))), {
    maxLength: 2,
  })
  .map((list) => ({ "content-type": "application/json", ...Object.fromEntries(list) }));
const longBody = `[${"1,".repeat(60_000)}1]`;

function bodyOf({ body }: Operation): fc.Arbitrary<string | undefined> {
  const json = bodyFor(body).map((value) => JSON.stringify(value) ?? "");
  const mangled = fc
    .tuple(json, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([sent, part]) => sent.slice(0, sent.length * part));
  const any = fc.oneof({ arbitrary: json, weight: 6 }, mangled, fc.string({ unit: "binary" }), fc.constant(longBody));
  return body === undefined ? fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, any) : any;
}

/** Requests made from the OpenAPI document, gone wrong in every part. */
export function hostileRequests(target: Target): fc.Arbitrary<HostileRequest> {
  return fc.oneof(
    ...operations.map((operation) =>
      fc.record({
        method: fc.oneof(
          { arbitrary: fc.constant(operation.method), weight: 8 },
          fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND"),
        ),
        path: pathOf(operation, target),
        headers: tricks,
        body: bodyOf(operation),
        who: fc.oneof({ arbitrary: fc.constant("owner" as const), weight: 4 }, fc.constantFrom("stranger", "operator")),
      }),
    ),
  );
}
