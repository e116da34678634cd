import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as values from "../../src/contract/schemas/values.ts";
import { codePoint } from "../builders/code-points.ts";

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;
const shown = { displayName: values.displayName };

/** Characters that turn, hide or part what stands around them, by name. */
const unseen: Readonly<Record<string, string>> = {
  "a zero-width space": "\u200B",
  "a zero-width joiner": "\u200D",
  "a zero-width non-joiner": "\u200C",
  "a word joiner": "\u2060",
  "a mark of byte order": "\uFEFF",
  "a soft hyphen": "\u00AD",
  "an override to the left": "\u202E",
  "an isolate": "\u2066",
  "a mark of direction": "\u200F",
  "a separator of lines": "\u2028",
  "a tag": "\u{E0041}",
  "a control character": "\u0085",
};
const blanks = [" ", "\u00A0 ", "\u3000", "\u3164", "\u2800", "\u115F\uFE0F", "   "];

describe.each(Object.entries(shown))("%s", (_, schema) => {
  test.each(Object.entries(unseen))("refuses %s, wherever it stands", (_name, character) => {
    for (const name of [character, `${character}Ada`, `A${character}da`, `Ada${character}`])
      expect(accepts(schema, name)).toBe(false);
  });

  test.each(blanks)("refuses %j, which shows nothing", (name) => {
    expect(accepts(schema, name)).toBe(false);
  });

  test.each(["Ada", "Ada Lovelace", "Zoë", "李小龍", "علي", "❤️ Works", "👩🏽 and co.", "O'Brien", "a\u0301"])(
    "takes %j",
    (name) => {
      expect(schema.parse(name)).toBe(name);
    },
  );

  test("takes no name with a character of the classes Cc and Cf, and any letter", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, minLength: 1, maxLength: 5 }), (text) => {
        const isRefused = !text.isWellFormed() || /[\p{Cc}\p{Cf}]/u.test(text);
        if (isRefused) expect(accepts(schema, text)).toBe(false);
        if (/^\p{L}+$/u.test(text) && !/\p{DI}/u.test(text)) expect(accepts(schema, text)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a new user name", () => {
  const alike = [
    "operator ",
    " operator",
    "operator\u200B",
    "operator\u202E",
    "ｏperator",
    "оperator",
    "operatör",
    "\u212Aate",
  ];
  test.each([...alike, "", ".operator", "-o", "_o", "a@b", "a b", "a/b", "x".repeat(129)])("is not %j", (name) => {
    expect(accepts(values.username, name)).toBe(false);
  });

  test.each(["o", "operator", "Ada.Lovelace", "ada_l-1815", "1815", "x".repeat(128)])("is %j", (name) => {
    expect(values.username.parse(name)).toBe(name);
  });
});

describe("an address", () => {
  const others = [
    "<a>@x",
    "a@b c",
    '"a"@example.com',
    "a@-x.com",
    "a@x-.com",
    "a@x..com",
    "ä@example.com",
    "a@exämple.com",
  ];
  const injected = [
    "a@example.com,b@example.com",
    "a@example.com\nbcc:b@example.com",
    "Ada <a@example.com>",
    "@x",
    "a@",
    "a",
  ];
  test.each([...others, ...injected, "\u212Aate@example.com", `${"a".repeat(243)}@example.com`])(
    "is not %j",
    (address) => {
      expect(accepts(values.email, address)).toBe(false);
    },
  );

  test.each(["ada@example.com", "a.b+c/d=e_f'g@x-y.example", "a@localhost", `${"a".repeat(242)}@example.com`])(
    "is %j",
    (address) => {
      expect(values.email.parse(address)).toBe(address);
    },
  );

  test("is stored in one form: two that compare as one are one", () => {
    expect(values.email.parse("Ada.Lovelace@EXAMPLE.com")).toBe("ada.lovelace@example.com");
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        const parsed = values.email.safeParse(address);
        if (parsed.success) expect(values.email.parse(parsed.data)).toBe(parsed.data);
        if (parsed.success) expect(values.email.parse(address.toUpperCase())).toBe(parsed.data);
      }),
    );
  });
});

test("an empty icon is none", () => {
  expect(values.iconFields.icon.parse("")).toBeNull();
  expect(values.iconFields.icon.parse(null)).toBeNull();
  expect(values.iconFields.icon.parse("https://example.com/i.png")).toBe("https://example.com/i.png");
  expect(accepts(values.iconFields.icon, " ")).toBe(false);
});
