import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type AzureDoubleOptions, azureDouble } from "./azure-double.ts";

/** The double behind a real connection on loopback. */
export async function azureDoubleServer(options: AzureDoubleOptions = {}) {
  const double = azureDouble(options);
  const server = createServer(async (request, response) => {
    const headers = request.headers as Record<string, string | undefined>;
    const { method = "GET", url = "/" } = request;
    const answer = await double.answer({ method, url, headers, text: await textOf(request) });
    if (answer === null) return void request.socket.destroy();
    const isEmpty = answer.status === 204 || answer.body === null;
    response.writeHead(answer.status, { ...(!isEmpty && { "content-type": "application/json" }), ...answer.headers });
    response.end(isEmpty ? undefined : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  double.at(url);
  return {
    ...double,
    url,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
