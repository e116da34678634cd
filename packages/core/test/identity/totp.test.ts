import { expect, test } from "vitest";
import { utf8 } from "../../src/encoding.ts";
import { stepAt, stepOfCode, toBase32, totpCode, totpUri } from "../../src/identity/totp.ts";
import { webRuntime } from "../../src/ports/web-runtime.ts";

const { crypto } = webRuntime();
/** The secret of RFC 6238's test vectors for SHA-1. */
const secret = utf8("12345678901234567890");

test.each([
  [59, "94287082"],
  [1111111109, "07081804"],
  [1111111111, "14050471"],
  [1234567890, "89005924"],
  [2000000000, "69279037"],
  [20000000000, "65353130"],
])("the code at second %d is the one of RFC 6238, appendix B", async (seconds, code) => {
  expect(await totpCode(crypto, secret, stepAt(seconds * 1000), 8)).toBe(code);
  expect(await totpCode(crypto, secret, stepAt(seconds * 1000))).toBe(code.slice(2));
});

test("the codes of the first ten steps are those of RFC 4226, appendix D", async () => {
  const codes = await Promise.all(Array.from({ length: 10 }, (_, step) => totpCode(crypto, secret, step)));
  expect(codes.join(" ")).toBe("755224 287082 359152 969429 338314 254676 287922 162583 399871 520489");
});

test("a code is accepted one step early or late, and no further", async () => {
  const now = 1_000_000_000_000;
  const accepted: number[] = [];
  for (let apart = -3; apart <= 3; apart++) {
    const code = await totpCode(crypto, secret, stepAt(now) + apart);
    if ((await stepOfCode(crypto, secret, { code, now })) === stepAt(now) + apart) accepted.push(apart);
  }
  expect(accepted).toEqual([-1, 0, 1]);
});

test.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("base32 of %j is the one of RFC 4648, section 10, without padding", (text, encoded) => {
  expect(toBase32(utf8(text))).toBe(encoded);
});

test("the address for apps escapes names", () => {
  expect(totpUri("ABC", "Our plane", "ada@example.com")).toBe(
    "otpauth://totp/Our%20plane:ada%40example.com?secret=ABC&issuer=Our%20plane",
  );
});
