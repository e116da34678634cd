import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startChild } from "./child.ts";
import type { Bench, Ratio } from "./harness.ts";
import { grant, load, type Peer, paired, type Rates, read, startPeer } from "./served-peer.ts";

/** The share of traces that is sent. */
const shares = [
  { name: "every trace", share: "1" },
  { name: "one trace in ten", share: "0.1" },
];

/** The cost of tracing: the same server over memory, with spans sent by OTLP, and without. */
export const bench: Bench = {
  name: "tracing",
  async run({ quick }) {
    const receiver = await takeSpans();
    const client = startChild("load");
    const peers: Peer[] = [];
    try {
      await client.ask();
      const untraced = await startPeer("untraced", "liveplane-app", ["memory"]);
      peers.push(untraced);
      for (const { name, share } of shares) peers.push(await startPeer(name, "liveplane-app", ["memory", share]));
      const [amount, rounds, warmUp] = quick ? [1_000, 2, 0] : [4_000, 9, 2];
      const lines: Ratio[] = [];
      for (const work of [read, grant]) {
        const measured = new Map<Peer, Rates[]>(peers.map((peer) => [peer, []]));
        for (let round = 0; round < rounds + warmUp; round++)
          for (const [peer, rates] of measured) {
            const found = await load(client, peer, work, amount);
            if (round >= warmUp) rates.push(found);
          }
        const without = measured.get(untraced) ?? [];
        for (const [{ name }, rates] of [...measured].slice(1)) {
          const named = {
            bench: "tracing",
            what: `${work.what}, ${name}`,
            peer: "the same without tracing",
            goal: null,
          };
          lines.push(
            { ...named, ...paired("perSecond", rates, without), unit: "requests/s" },
            { ...named, ...paired("perCpuSecond", rates, without), unit: "requests per second of processor time" },
          );
        }
      }
      return lines;
    } finally {
      for (const peer of peers) peer.stop();
      client.stop();
      receiver.close();
    }
  },
};

/** Receives spans in this process, so that it costs the servers nothing. */
async function takeSpans() {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.setHeader("content-type", "application/json").end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return server;
}
