import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type GoogleAnswer, problem } from "./google-answers.ts";
import { type GoogleDoubleOptions, googleDouble } from "./google-double.ts";

/** The double behind a real connection on loopback. */
export async function fakeGoogle(options: GoogleDoubleOptions = {}) {
  const { at, resourceAt, answer, ...double } = googleDouble(options);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const given = await answer({ method, url, headers, text: await textOf(request) });
    if (given === null) request.socket.destroy();
    else sent(response, given);
  }

  const server = createServer(
    (request, response) =>
      void handle(request, response).catch((error: unknown) =>
        // A mistake of the double's is seen at once.
        sent(
          response,
          problem(500, { status: "INTERNAL", message: String(error instanceof Error ? error.stack : error) }),
        ),
      ),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  at(url);
  return {
    ...double,
    at: resourceAt,
    url,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sent(response: ServerResponse, { status, body, headers = {} }: GoogleAnswer): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(status === 204 ? undefined : JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
