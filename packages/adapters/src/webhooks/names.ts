import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";

/** Options of resolving names separately. */
export interface NamesOptions {
  /** Cancels pending queries. */
  readonly signal?: AbortSignal;
  /** The DNS servers. @default the system's */
  readonly servers?: readonly string[];
}

/** How long one server has to answer; the second and last attempt gets twice as long. */
const answerMs = 2000;

/**
 * Resolves names by DNS over sockets. The system's resolver uses Node's pool of four threads, which files and password hashes share: four
 * slow names would block them all.
 */
export function namesBy({ signal, servers }: NamesOptions = {}): LookupFunction {
  return (hostname, options, callback) => {
    const resolver = new Resolver({ timeout: answerMs, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    const resolving = Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    void resolving.then((found) => {
      signal?.removeEventListener("abort", cancel);
      const all = found
        .flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
        .map((address) => ({ address, family: isIP(address) }));
      const [first] = all;
      const [failed] = found.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
      if (first === undefined) callback(failed, "", 0);
      else if (options.all === true) callback(null, all);
      else callback(null, first.address, first.family);
    });
  };
}
