const prime = (1n << 130n) - 5n;
const mask = (1n << 128n) - 1n;
const clamp = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

/**
 * Computes the Poly1305 tag of a message (RFC 8439 §2.5), which Node's cryptography gives out only together with ChaCha20 as
 * TLS uses it. Not for what an attacker can time: it opens keys of ours, in a worker.
 */
export function poly1305(key: Uint8Array, message: Uint8Array): Buffer {
  const r = littleEndian(key.subarray(0, 16)) & clamp;
  const s = littleEndian(key.subarray(16, 32));
  let sum = 0n;
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16);
    sum = ((sum + littleEndian(block) + (1n << BigInt(8 * block.length))) * r) % prime;
  }
  const tag = Buffer.from(((sum + s) & mask).toString(16).padStart(32, "0"), "hex");
  return tag.reverse();
}

function littleEndian(bytes: Uint8Array): bigint {
  const hex = Buffer.from(bytes).reverse().toString("hex");
  return hex === "" ? 0n : BigInt(`0x${hex}`);
}
