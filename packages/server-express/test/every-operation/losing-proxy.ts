import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Where an answer is lost: before the request arrives, when it has been carried out, or in the middle of the answer's body. */
export type Loss = (typeof losses)[number];
export const losses = ["before it arrives", "after it was carried out", "in the middle of the body"] as const;

/** A way to a service that loses the next answer to a write, with a key or without. */
export interface LosingProxy {
  readonly url: string;
  /** Loses the answer to the next write; its repetitions are told by their key, or by where they go. */
  loseNext(loss: Loss): void;
  /** Whether one was lost since it was told to, and how often that request came. */
  taken(): { readonly isLost: boolean; readonly tries: number };
  end(): Promise<void>;
}

/** Stands between a client and a service. */
export async function losingProxy(target: string): Promise<LosingProxy> {
  const { hostname, port } = new URL(target);
  const agent = new Agent({ keepAlive: true });
  let next: Loss | null = null;
  let [key, tries]: [string | undefined, number] = [undefined, 0];

  const server = createServer((incoming, outgoing) => {
    const isWrite = !["GET", "HEAD"].includes(incoming.method ?? "");
    const unnamed = isWrite ? `${incoming.method} ${incoming.url}` : undefined;
    const sent = (incoming.headers["idempotency-key"] as string | undefined) ?? unnamed;
    const loss = sent === undefined ? null : next;
    if (loss !== null) [next, key, tries] = [null, sent, 0];
    if (sent !== undefined && sent === key) tries += 1;
    if (loss === "before it arrives") {
      incoming.resume().once("end", () => outgoing.destroy());
      return;
    }
    const { method, url, headers } = incoming;
    const onward = request({ hostname, port, method, path: url, headers, agent }, (answer) =>
      loss === null ? passOn(answer, outgoing) : void lose(answer, outgoing, loss),
    );
    onward.once("error", () => outgoing.destroy());
    outgoing.once("close", () => outgoing.writableFinished || onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseNext(loss) {
      [next, key, tries] = [loss, undefined, 0];
    },
    taken: () => ({ isLost: key !== undefined, tries }),
    async end() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function passOn(answer: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
  answer.once("error", () => outgoing.destroy());
  answer.pipe(outgoing);
}

/** The whole answer has come, so the service has done what it does: then the line breaks. */
async function lose(answer: IncomingMessage, outgoing: ServerResponse, loss: Loss): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  if (loss === "after it was carried out") return void outgoing.destroy();
  outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
  outgoing.write(body.subarray(0, Math.ceil(body.length / 2)), () => outgoing.destroy());
}
