import { createCipheriv, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { poly1305 } from "../src/ssh-keys/poly1305.ts";

const bytes = (hex: string) => Buffer.from(hex.replaceAll(/[\s:]/g, ""), "hex");

test.each([
  [
    "the example of RFC 8439 §2.5.2",
    "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b",
    Buffer.from("Cryptographic Forum Research Group").toString("hex"),
    "a8061dc1305136c6c22b8baf0c0127a9",
  ],
  ["A.3 #1, nothing but zeros", "00".repeat(32), "00".repeat(64), "00".repeat(16)],
  ["A.3 #7, a sum above the prime", `02${"00".repeat(31)}`, "ff".repeat(16), `03${"00".repeat(15)}`],
  [
    "A.3 #8, a sum that s takes over 128 bits",
    `02${"00".repeat(15)}${"ff".repeat(16)}`,
    `02${"00".repeat(15)}`,
    `03${"00".repeat(15)}`,
  ],
  [
    "A.3 #9, a sum right below the prime",
    `01${"00".repeat(31)}`,
    `${"ff".repeat(16)}f0${"ff".repeat(15)}11${"00".repeat(15)}`,
    `05${"00".repeat(15)}`,
  ],
])("Poly1305 gives the tag of %s", (_, key, message, tag) => {
  expect(poly1305(bytes(key), bytes(message)).toString("hex")).toBe(tag);
});

test("Poly1305 agrees with OpenSSL's, over messages of any length", () => {
  for (let length = 0; length < 80; length++) {
    const [key, nonce, text] = [randomBytes(32), randomBytes(12), randomBytes(length)];
    const cipher = createCipheriv("chacha20-poly1305", key, nonce, { authTagLength: 16 });
    const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
    const counter = Buffer.concat([Buffer.alloc(4), nonce]);
    const oneTimeKey = createCipheriv("chacha20", key, counter).update(Buffer.alloc(32));
    const lengths = Buffer.alloc(16);
    lengths.writeUInt32LE(length, 8);
    const padding = Buffer.alloc((16 - (length % 16)) % 16);
    const message = Buffer.concat([sealed, padding, lengths]);
    expect(poly1305(oneTimeKey, message), `length ${length}`).toEqual(cipher.getAuthTag());
  }
});
