/**
 * The unit by which an address is rate limited: an IPv4 address itself, even if mapped into IPv6, or the first 64 bits of an IPv6 address,
 * because one host can use all addresses in them. Ports, brackets, quotes, zones and spelling are ignored. `null` if the text isn't an
 * address.
 */
export function networkOf(text: string): string | null {
  const bare = bareAddress(text.trim().toLowerCase());
  const v4 = bytesOf(bare);
  if (v4 !== null) return v4.join(".");
  const groups = groupsOf(bare);
  if (groups === null) return null;
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The bare address: `"[fe80::1%eth0]:80"` becomes `fe80::1`. */
function bareAddress(text: string): string {
  const unquoted = /^"(.*)"$/.exec(text)?.[1] ?? text;
  const inBrackets = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(unquoted)?.[1];
  const withPort = /^([\d.]+):\d{1,5}$/.exec(unquoted)?.[1];
  const address = inBrackets ?? withPort ?? unquoted;
  return address.includes(":") ? address.replace(/%[^%:[\]]+$/, "") : address;
}

/** Four decimal numbers. A leading zero is refused, because some read it as octal. */
function bytesOf(text: string): readonly number[] | null {
  const parts = text.split(".");
  const isByte = (part: string) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255;
  return parts.length === 4 && parts.every(isByte) ? parts.map(Number) : null;
}

/** The eight groups of an IPv6 address; the last two may be an IPv4 address. */
function groupsOf(text: string): readonly number[] | null {
  const [, before, decimals = ""] = /^(.*:)([\d.]+)$/.exec(text) ?? [];
  const [a = 0, b = 0, c = 0, d = 0] = bytesOf(decimals) ?? [-1];
  const hexadecimal = a < 0 ? text : `${before}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const halves = hexadecimal.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const [head = [], tail] = halves;
  const missing = 8 - halves.flat().length;
  if (halves.length > 2 || (tail === undefined ? missing !== 0 : missing < 1)) return null;
  const groups = tail === undefined ? head : [...head, ...Array<string>(missing).fill("0"), ...tail];
  return groups.every((group) => /^[\da-f]{1,4}$/.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null;
}
