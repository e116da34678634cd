import { createServer, type Server } from "node:http";
import { Webhook } from "standardwebhooks";

/** The content of a message: an event in CloudEvents format. */
interface Told {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
}

/** A receiver: accepts only signed messages, handles each once, and answers before slow work. */
export function receiver(secret: () => string, deal: (event: Told) => void): Server {
  const known = new Set<string>();
  return createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    try {
      const event = new Webhook(secret()).verify(body, request.headers as Record<string, string>) as Told;
      response.writeHead(204).end();
      if (!known.has(event.id)) deal(event);
      known.add(event.id);
    } catch {
      response.writeHead(401).end();
    }
  });
}
