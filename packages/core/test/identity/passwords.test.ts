import fc from "fast-check";
import { expect, test } from "vitest";
import { weaknessOf } from "../../src/identity/passwords.ts";
import { createRefreshTokens, sessionIdOf } from "../../src/sessions/refresh-tokens.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { codePoint } from "../builders/code-points.ts";

const word = fc.string({ unit: fc.constantFrom(..."abcdefghij"), minLength: 4, maxLength: 12 });

test("length is counted in code points, whatever they are", () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, minLength: 0, maxLength: 300 }), (password) => {
      const length = [...password].length;
      expect(weaknessOf(password, {}) === null).toBe(length >= 12 && length <= 256);
    }),
  );
});

test("a password that contains the local part or a name is weak, in any case and anywhere", () => {
  fc.assert(
    fc.property(word, fc.constantFrom("email", "name", "surname"), fc.nat(20), (own, member, at) => {
      const filler = "0123456789_#+0123456789";
      const password = filler.slice(0, at) + own.toUpperCase() + filler.slice(at);
      const owner = { [member]: member === "email" ? `${own}@example.com` : own };
      expect(weaknessOf(password, owner)).not.toBeNull();
      expect(weaknessOf(filler, owner)).toBeNull();
    }),
  );
});

test.each(["bob@example.com", "BOB@example.com", "x-bob@example.com-9"])(
  "the whole address is weak: %s",
  (password) => {
    expect(weaknessOf(password, { email: "bob@example.com" })).toBe(
      "The password must not contain your address or name.",
    );
  },
);

test("names of three letters and the address's domain don't count", () => {
  const owner = { email: "ada@example.com", name: "Li", surname: null };
  expect(weaknessOf("ada-li-example.com", owner)).toBeNull();
});

test("a refresh token is good once, used ever after, and foreign to other families", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 6 }), async (seed, rotations) => {
      const tokens = createRefreshTokens(fakeRuntime({ seed }).crypto);
      const other = await tokens.make("session");
      const past: string[] = [];
      let { token, digests } = await tokens.make("session");
      for (let turn = 0; turn < rotations; turn++) {
        past.push(token);
        ({ token, digests } = await tokens.next(token));
      }
      expect(sessionIdOf(token)).toBe("session");
      expect(await tokens.judge(digests, token)).toBe("good");
      for (const used of past) expect(await tokens.judge(digests, used)).toBe("used");
      expect(await tokens.judge(digests, other.token)).toBe("foreign");
      expect(await tokens.judge(digests, "session")).toBe("foreign");
    }),
    { numRuns: 25 },
  );
});
