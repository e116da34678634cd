import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { networkOf } from "../src/network-of.ts";

const bytes = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 });
const port = fc.nat(65_535);
const isMapped = (all: readonly number[]) => all.slice(0, 5).every((group) => group === 0) && all[5] === 0xffff;

/** An address in one of its spellings: capitals, leading zeros, a run of zeros left out, the last 32 bits in decimals. */
const spelt = (all: readonly number[]) =>
  fc.record({ capitals: fc.boolean(), padded: fc.boolean(), run: fc.nat(7), dotted: fc.boolean() }).map((how) => {
    const text = all.map((group) => group.toString(16).padStart(how.padded ? 4 : 1, "0"));
    const [high = 0, low = 0] = all.slice(6);
    if (how.dotted) text.splice(6, 2, [high >> 8, high & 255, low >> 8, low & 255].join("."));
    let end = how.run;
    while (end < text.length && all[end] === 0 && (!how.dotted || end < 6)) end += 1;
    const written =
      end > how.run ? `${text.slice(0, how.run).join(":")}::${text.slice(end).join(":")}` : text.join(":");
    return how.capitals ? written.toUpperCase() : written;
  });
const dressed = (address: string, withPort: number) => [
  address,
  ` ${address} `,
  `[${address}]`,
  `[${address}]:${withPort}`,
  `"[${address}]:${withPort}"`,
  `${address}%eth0`,
  `[${address}%25en0]:${withPort}`,
];

describe("whom an address counts as", () => {
  test("an IPv4 address is itself, with a port, quoted, and mapped in every spelling", () => {
    fc.assert(
      fc.property(
        bytes.chain((four) => {
          const [a, b, c, d] = four;
          const mapped = [0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d];
          return fc.record({ four: fc.constant(four), mapped: spelt(mapped), port });
        }),
        ({ four, mapped, port }) => {
          const plain = four.join(".");
          for (const text of [plain, `${plain}:${port}`, `"${plain}:${port}"`, ...dressed(mapped, port)])
            expect(networkOf(text)).toBe(plain);
        },
      ),
    );
  });

  test("all spellings of an IPv6 address count as one, and so do all addresses that begin with the same 64 bits", () => {
    fc.assert(
      fc.property(
        groups
          .filter((all) => !isMapped(all))
          .chain((all) => fc.record({ all: fc.constant(all), text: spelt(all), port })),
        groups,
        ({ all, text, port }, other) => {
          const network = `${all
            .slice(0, 4)
            .map((group) => group.toString(16))
            .join(":")}::/64`;
          for (const written of dressed(text, port)) expect(networkOf(written)).toBe(network);
          const neighbour = [...all.slice(0, 4), ...other.slice(4)];
          if (isMapped(neighbour)) return;
          expect(networkOf(neighbour.map((group) => group.toString(16)).join(":"))).toBe(network);
        },
      ),
    );
  });

  test("different networks never count as one", () => {
    fc.assert(
      fc.property(groups, groups, (one, other) => {
        fc.pre(one.slice(0, 4).join() !== other.slice(0, 4).join() && !isMapped(one) && !isMapped(other));
        const text = (all: readonly number[]) => all.map((group) => group.toString(16)).join(":");
        expect(networkOf(text(one))).not.toBe(networkOf(text(other)));
      }),
    );
  });

  test("whatever is written, it is an address's network, which is its own, or none", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("[", "]", ":", ".", "%", '"', "f", "0", "1", "2") })),
        (text) => {
          const network = networkOf(text);
          if (network !== null) expect(networkOf(network.replace("/64", ""))).toBe(network);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test.each([
    "",
    "unknown",
    "_hidden",
    "localhost",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.256",
    "010.0.0.1",
    "0x7f.0.0.1",
    "1.2.3.4:",
    "1.2.3.4%eth0",
    "1.2.3.4:123456",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7::8",
    "1:2:3:4:5:6:7:8:9",
    "::12345",
    "::g",
    "1.2.3.4::",
    "::1.2.3.4:5",
    "[::1",
    "::1]",
    "[::1]x",
    "[[::1]]",
    "::1, ::2",
  ])("%j is no address", (text) => {
    expect(networkOf(text)).toBeNull();
  });
});
