import { randomBytes } from "node:crypto";
import { staticKeyRing } from "@liveplane/adapters/key-rings";
import { aesSealer } from "@liveplane/adapters/sealer";
import type { Sealed } from "@liveplane/core";
import { isLiveplaneError } from "@liveplane/core/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codePoint } from "../../core/test/builders/code-points.ts";
import { environmentsWorld, refused } from "../../core/test/builders/environments.ts";

const keys = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")] as const;
const ring = staticKeyRing({ keys });
const sealer = aesSealer({ keyRing: ring });
const place = ["secret", "Personal/ada/dev", "first", "db", "1"];
const canary = "canary-5f3a9c-plaintext";
const parts = ["wrappedKey", "nonce", "ciphertext", "tag"] as const;

/** Why opening failed: its code. Fails the test when it opened, or when anything of the value shows. */
async function closed(opening: Promise<Uint8Array>): Promise<string> {
  const thrown = await opening.then(
    (opened) => new TypeError(`It opened: ${opened.length} bytes.`),
    (error: unknown) => error,
  );
  if (!isLiveplaneError(thrown)) throw thrown;
  const shown = `${JSON.stringify(thrown)} ${thrown.stack} ${String(thrown.cause)}`;
  expect(shown).not.toContain(canary);
  return thrown.code;
}

function flipped(text: string, bit: number): string {
  const bytes = Buffer.from(text, "base64url");
  const at = Math.floor(bit / 8) % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % 8));
  return bytes.toString("base64url");
}

const sealedText = (text: string) => sealer.seal(Buffer.from(text), place);

describe("a sealed value", () => {
  test("opens to what was sealed, whatever it was", () =>
    fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.array(fc.string({ unit: codePoint }), { maxLength: 5 }),
        async (plaintext, where) => {
          const opened = await sealer.open(await sealer.seal(plaintext, where), where);
          expect(Buffer.from(opened)).toEqual(Buffer.from(plaintext));
        },
      ),
    ));

  test("never looks the same twice, and shows nothing of what it is", async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => sealedText(canary)));
    for (const part of parts) expect(new Set(made.map((sealed) => sealed[part])).size, part).toBe(50);
    for (const sealed of made) {
      const bytes = Buffer.concat(parts.map((part) => Buffer.from(sealed[part], "base64url")));
      expect(bytes.includes(canary) || JSON.stringify(sealed).includes(canary)).toBe(false);
    }
  });

  test.each(parts)("does not open with any one bit of its %s flipped", async (part) => {
    const sealed = await sealedText(canary);
    const bits = Buffer.from(sealed[part], "base64url").length * 8;
    expect(bits).toBeGreaterThan(90);
    for (let bit = 0; bit < bits; bit++) {
      const changed = { ...sealed, [part]: flipped(sealed[part], bit) };
      expect(await closed(sealer.open(changed, place)), `bit ${bit}`).toBe("InternalError");
    }
  });

  test.each([...parts, "keyId", "algorithm"] as const)("does not open with a character of its %s changed", (part) =>
    fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 127 }), async (at, by) => {
        const sealed = await sealedText(canary);
        const text = sealed[part];
        const index = at % text.length;
        const other = String.fromCharCode(text.charCodeAt(index) ^ by);
        const changed = { ...sealed, [part]: text.slice(0, index) + other + text.slice(index + 1) };
        expect(await closed(sealer.open(changed, place))).toBe("InternalError");
      }),
    ),
  );

  test.each(parts)("does not open with its %s cut, grown or empty", async (part) => {
    const sealed = await sealedText(canary);
    const bytes = Buffer.from(sealed[part], "base64url");
    const others = [Buffer.alloc(0), bytes.subarray(1), bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.alloc(1)])];
    for (const other of [...others.map((changed) => changed.toString("base64url")), `${sealed[part]}=`, "!!"])
      expect(await closed(sealer.open({ ...sealed, [part]: other }, place)), other).toBe("InternalError");
  });

  test("does not open with a part that another value brought, in the same place too", async () => {
    const [one, other] = [await sealedText(canary), await sealedText("another")];
    for (const part of parts)
      expect(await closed(sealer.open({ ...one, [part]: other[part] }, place)), part).toBe("InternalError");
  });

  test("does not open in any other place", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 6 }), { maxLength: 4 }),
        fc.array(fc.string({ maxLength: 6 }), { maxLength: 4 }),
        async (here, there) => {
          fc.pre(JSON.stringify(here) !== JSON.stringify(there));
          expect(await closed(sealer.open(await sealer.seal(Buffer.from(canary), here), there))).toBe("InternalError");
        },
      ),
    ));

  test.each([
    [["a", "b"], ["ab"]],
    [["a,1:b"], ["a", "b"]],
    [["a"], ["a", ""]],
    [["é"], ["e\u0301"]],
    [[], [""]],
  ])("tells the place %j from %j", async (here, there) => {
    const sealed = await sealer.seal(Buffer.from(canary), here);
    expect(await closed(sealer.open(sealed, there))).toBe("InternalError");
    expect(await closed(sealer.rewrap({ ...sealed, keyId: await oldId() }, there) as never)).toBe("InternalError");
  });

  test("does not open under a ring that lacks its key", async () => {
    const stranger = aesSealer({ keyRing: staticKeyRing({ keys: [randomBytes(32).toString("base64")] }) });
    expect(await closed(stranger.open(await sealedText(canary), place))).toBe("InternalError");
  });
});

const oldId = () => staticKeyRing({ keys: [keys[1]] }).currentKeyId();

describe("re-wrapping", () => {
  const old = aesSealer({ keyRing: staticKeyRing({ keys: [keys[1]] }) });

  test("moves the data key alone, and only once", async () => {
    const sealed = await old.seal(Buffer.from(canary), place);
    const moved = (await sealer.rewrap(sealed, place)) as Sealed;
    expect(moved).toEqual({ ...sealed, keyId: await ring.currentKeyId(), wrappedKey: expect.any(String) });
    expect(moved.wrappedKey).not.toBe(sealed.wrappedKey);
    expect(Buffer.from(await sealer.open(moved, place)).toString()).toBe(canary);
    expect(await sealer.rewrap(moved, place)).toBeNull();
    expect(await closed(old.open(moved, place))).toBe("InternalError");
  });

  test("refuses a value that was moved or changed, rather than making it good", async () => {
    const sealed = await old.seal(Buffer.from(canary), place);
    const elsewhere = sealer.rewrap(sealed, [...place.slice(0, -1), "2"]);
    expect(await closed(elsewhere as never)).toBe("InternalError");
    const bits = Buffer.from(sealed.wrappedKey, "base64url").length * 8;
    for (let bit = 0; bit < bits; bit += 7) {
      const changed = { ...sealed, wrappedKey: flipped(sealed.wrappedKey, bit) };
      expect(await closed(sealer.rewrap(changed, place) as never), `bit ${bit}`).toBe("InternalError");
    }
  });
});

describe("a secret in the store", () => {
  async function twoSecrets() {
    const world = await environmentsWorld({}, { sealer });
    const { api, dev, store } = world;
    for (const name of ["one", "two"]) {
      await api.environments.secrets.create(dev, { shortName: name, value: `${canary}-${name}` });
      await api.environments.secrets.update({ ...dev, secretShortName: name }, { value: `${canary}-${name}-again` });
    }
    const entries = await store.list({ prefix: ["record", "secret"] });
    expect(entries).toHaveLength(2);
    const reveal = (name: string, version?: number) =>
      api.environments.secrets.reveal({ ...dev, secretShortName: name }, version === undefined ? {} : { version });
    return { ...world, entries, reveal };
  }

  test("does not open in another secret's row", async () => {
    const { store, entries, reveal, everything } = await twoSecrets();
    expect((await reveal("one")).value).toBe(`${canary}-one-again`);
    const [one, two] = entries;
    if (one === undefined || two === undefined) throw new RangeError("There are two.");
    const rowOf = (value: unknown) => value as { shortName: string; versions: { sealed: Sealed }[] };
    const withVersionsOf = (row: unknown, other: unknown) =>
      ({ ...rowOf(row), versions: rowOf(other).versions }) as never;
    await store.commit({
      sets: [
        { key: one.key, value: withVersionsOf(one.value, two.value) },
        { key: two.key, value: withVersionsOf(two.value, one.value) },
      ],
    });
    expect(await refused(reveal("one"))).toBe("InternalError");
    expect(await refused(reveal("two", 1))).toBe("InternalError");

    await store.commit({
      sets: [
        { key: one.key, value: two.value },
        { key: two.key, value: one.value },
      ],
    });
    // Whole rows, the names in them and all: each opens only where it was put.
    expect(await refused(reveal("one"))).toBe("InternalError");
    expect(await refused(reveal("two", 1))).toBe("InternalError");
    expect(await everything()).not.toContain(canary);
  });

  test("does not open as another version of itself", async () => {
    const { store, entries, reveal } = await twoSecrets();
    const [entry] = entries;
    const row = entry?.value as unknown as { versions: { version: number; sealed: Sealed }[]; shortName: string };
    const [newer, older] = row.versions;
    if (entry === undefined || newer === undefined || older === undefined) throw new RangeError("There are two.");
    const swapped = [
      { ...newer, sealed: older.sealed },
      { ...older, sealed: newer.sealed },
    ];
    await store.commit({ sets: [{ key: entry.key, value: { ...row, versions: swapped } as never }] });
    expect(await refused(reveal(row.shortName))).toBe("InternalError");
    expect(await refused(reveal(row.shortName, 1))).toBe("InternalError");
  });
});
