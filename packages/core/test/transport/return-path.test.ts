import fc from "fast-check";
import { expect, test } from "vitest";
import { returnPath } from "../../src/transport/return-path.ts";

const origin = "https://here.example:8443";

const segment = fc.oneof(
  fc.constantFrom("/", "//", "\\", ".", "..", "/.", "/..", "%2e", "%2E%2e", ".%2e", "%2f", "%5c", "%00", "%09"),
  fc.constantFrom("\t", "\n", "\r", "\0", " ", "\u00a0", "\u2028", "\ufeff", "／", "。", "@", ":", "#", "?", ";", "x"),
  fc.constantFrom("evil.example", "https:", "http:", "javascript:alert(1)", "blob:", "data:,", "file:", origin),
  fc.constantFrom(
    `blob:${origin}/`,
    `${origin}@evil.example`,
    `${origin}.evil.example`,
    "https:/",
    "https:\\\\",
    "[::1]",
  ),
  fc.string({ unit: "binary", maxLength: 4 }),
);
const asked = fc.oneof(
  fc.array(segment, { maxLength: 12 }).map((parts) => parts.join("")),
  fc.array(segment, { maxLength: 12 }).map((parts) => `/${parts.join("")}`),
  fc.webUrl(),
  fc.string({ unit: "binary" }),
);

test("a browser that is sent to any return path stays at this origin", () => {
  fc.assert(
    fc.property(asked, fc.constantFrom(origin, "http://127.0.0.1:8080", "https://here.example"), (text, own) => {
      const sent = returnPath(own, text);
      expect(new URL(sent, `${own}/auth/oidc/callback?code=x`).origin).toBe(own);
      expect(sent).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/);
      // What is sent is resolved already: resolving it again, or choosing it again, changes nothing.
      expect(new URL(sent, own).href).toBe(own + sent);
      expect(returnPath(own, sent)).toBe(sent);
    }),
    { numRuns: 5000 },
  );
});

test.each([
  ["/docs", "/docs"],
  ["/docs?a=/b//c#/d", "/docs?a=/b//c#/d"],
  ["/a/./b/../c//d", "/a/c//d"],
  ["docs", "/docs"],
  ["", "/"],
  [null, "/"],
  [`${origin}/docs`, "/docs"],
  ["/ä", "/%C3%A4"],
  ["/\tdocs\n", "/docs"],
  [`/${"x".repeat(511)}`, `/${"x".repeat(511)}`],
  [`/${"x".repeat(512)}`, "/"],
])("%j returns to %j", (text, path) => {
  expect(returnPath(origin, text)).toBe(path);
});
