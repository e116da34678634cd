import { BlockList, isIP } from "node:net";

/*
 * The special-purpose addresses in IANA's registries, and public-looking addresses that answer inside clouds. Of IPv6 only the global
 * unicast block is public; addresses with an embedded IPv4 address are outside it.
 */

const closed = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  // Azure's host, as seen from any of its virtual machines.
  ["168.63.129.16", 32],
] as const)
  closed.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
] as const)
  closed.addSubnet(network, prefix, "ipv6");

const global = new BlockList();
global.addSubnet("2000::", 3, "ipv6");

/** Whether an address is on the public internet. Other text isn't. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !closed.check(address, "ipv4");
    case 6:
      return global.check(address, "ipv6") && !closed.check(address, "ipv6");
    default:
      return false;
  }
}
