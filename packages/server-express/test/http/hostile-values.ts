import { credentialHeaders } from "@liveplane/core/routes";
import fc from "fast-check";

/** What the requests are aimed at: stands in them until they are sent, so that one seed always makes the same ones. */
export interface Ids {
  readonly accountId: string;
  readonly organizationId: string;
  readonly livesystemId: string;
  readonly resourceId: string;
}

const idsOf = (digit: string): Ids => ({
  accountId: `00000000-0000-4000-8000-${digit.repeat(11)}1`,
  organizationId: `00000000-0000-4000-8000-${digit.repeat(11)}2`,
  livesystemId: `00000000-0000-4000-8000-${digit.repeat(11)}3`,
  resourceId: `/resource-of-${digit}`,
});

/** The attacker's own things. */
export const own = idsOf("a");
/** Another tenant's. */
export const someoneElses = idsOf("b");

/** Says the real ids where the requests say what stands for them. */
export function withIds(text: string, ids: readonly (readonly [Ids, Ids])[]): string {
  let said = text;
  for (const [standIn, real] of ids)
    for (const name of Object.keys(standIn) as (keyof Ids)[]) said = said.replaceAll(standIn[name], real[name]);
  return said;
}

const resource = someoneElses.resourceId;

/** Ids that a cloud must not follow: another tenant's in every spelling, other hosts, other paths. */
export const foulResourceIds: fc.Arbitrary<string> = fc.constantFrom(
  resource,
  `${resource}/`,
  `/${resource}`,
  resource.replace("/", "//"),
  resource.toUpperCase(),
  `${resource}?api-version=1`,
  `${resource}#x`,
  `${resource}/../x`,
  `${resource}/providers/Microsoft.Authorization/locks/x`,
  own.resourceId,
  `${own.resourceId}/..`,
  ".evil.example/x",
  "@evil.example/x",
  ":8443/x",
  "1/steal",
  "//evil.example/x",
  "https://evil.example/x",
  "\\\\evil.example\\x",
  "/subscriptions/%2e%2e/x",
  "..",
  "?",
  "#",
  "",
);

/** Names that look like others, or like more than a name. */
export const foulNames: fc.Arbitrary<string> = fc.constantFrom(
  "operator ",
  " operator",
  "operator\u200b",
  "\u202eoperator",
  "ｏｐｅｒａｔｏｒ",
  "оperator",
  "Operator",
  "victor",
  "VICTOR\u00a0",
  "\u212a@example.com",
  "<victor@example.com>@x",
  "victor@example.com,evil@example.com",
  "victor@example.com\r\nBcc: evil@example.com",
  '"victor"@example.com',
  "victor@[127.0.0.1]",
  "a@b",
  `${"x".repeat(250)}@example.com`,
  "team:web",
  "me",
);

/** Bodies at and beyond their limits, and JSON that only looks small. */
export const overlong: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom(16_384, 16_385, 65_536).map((length) => "{}".padEnd(length)), weight: 6 },
  { arbitrary: fc.constant(`{"name":"x"}`.padEnd(1024 * 1024 + 1)), weight: 1 },
  { arbitrary: fc.constant(`{${Array.from({ length: 4_000 }, (_, at) => `"u${at}":${at}`).join(",")}}`), weight: 3 },
  { arbitrary: fc.constant(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`), weight: 1 },
  { arbitrary: fc.constant('{"__proto__":{"a":1},"constructor":{"prototype":{}}}'), weight: 1 },
  { arbitrary: fc.constant("\ufeff{}"), weight: 1 },
);

const visible = (value: string) => value.replaceAll(/[^\x20-\x7e\t]/g, "").trim();
const text = fc.string({ maxLength: 40 }).map(visible);
const twice = (...values: readonly string[]): fc.Arbitrary<string | string[]> =>
  fc.oneof(fc.constantFrom(...values), fc.constantFrom(...values.map((value) => [value, `${value}2`])));

/** Headers that a server could stumble over, each with what it may say. */
export const foulHeaders: readonly (readonly [string, fc.Arbitrary<string | string[]>])[] = [
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
  ["idempotency-key", text],
  ["x-request-id", text],
  [
    "content-type",
    fc.constantFrom(
      "text/plain",
      "application/json; charset=utf-7",
      "application/json; charset=utf-16",
      "application/json;;;",
      "application/x-www-form-urlencoded",
      "",
    ),
  ],
  ["content-encoding", fc.constantFrom("gzip", "identity", "br, gzip", "*")],
  [
    "x-forwarded-for",
    fc.constantFrom(
      "127.0.0.1",
      "::1, x",
      ",,",
      "y".repeat(1000),
      "[::ffff:127.0.0.1]:80",
      "fe80::1%eth0",
      "010.0.0.1",
      "unknown",
    ),
  ],
  ["forwarded", fc.constantFrom('for="[::1]:80";host=evil.example', "for=unknown", ";;", "for=_hidden, for=127.0.0.1")],
  ["x-real-ip", fc.constantFrom("127.0.0.1", "::")],
  ["x-http-method-override", fc.constantFrom("DELETE", "GET")],
  [credentialHeaders.providerAClientId, twice("id", "", "x".repeat(9000), own.accountId)],
  [credentialHeaders.providerAClientSecret, twice("secret", "s".repeat(8193))],
  [credentialHeaders.providerBServiceAccountEmail, twice("a@b.iam.gserviceaccount.com", "<x>")],
  [
    credentialHeaders.providerBServiceAccountCredentials,
    twice("{}", "e30=", '{"token_uri":"https://evil.example","private_key":"x"}'),
  ],
  [
    "authorization",
    fc.constantFrom("Bearer", "Bearer ..", "Bearer a.b.c", "Basic !!", `Bearer ${"a.".repeat(2000)}`, "Negotiate x"),
  ],
  ["host", fc.constantFrom("evil.example", "", "[::1]:x", "a b")],
  ["last-event-id", fc.oneof(text, fc.constantFrom("0", "-1", "999999999999999", "1e3"))],
  ["expect", fc.constantFrom("100-continue", "200-ok")],
  ["range", fc.constantFrom("bytes=0-1", "bytes=-")],
  ["origin", fc.constantFrom("null", "https://evil.example")],
];
