import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { LiveplaneError } from "@liveplane/core/errors";

/** The request of a returning browser. */
export interface Returned {
  /** `null`: the service refused, with this code and message. */
  readonly code: string | null;
  readonly error: string;
  readonly detail: string;
}

/** Waits on this machine for a redirected browser. */
export interface Loopback {
  readonly port: number;
  /** Resolves with the request that has the right state; others are refused. Rejects with `Aborted`. */
  returned(signal: AbortSignal): Promise<Returned>;
  close(): void;
}

/** Listens on a free port that only this machine can reach. */
export async function openLoopback(state: string): Promise<Loopback> {
  let settle: (returned: Returned) => void = () => {};
  const came = new Promise<Returned>((resolve) => {
    settle = resolve;
  });
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const { searchParams: query } = new URL(request.url ?? "/", `http://127.0.0.1:${port}`);
    // A foreign page may use another name for this machine.
    const isMeant = request.headers.host === `127.0.0.1:${port}` && query.get("state") === state;
    const [error, detail] = [query.get("error") ?? "", query.get("error_description") ?? ""];
    if (!isMeant) return void response.writeHead(404, headers).end(pageOf("Not found."));
    const isSignedIn = error === "";
    response.writeHead(200, headers).end(pageOf(isSignedIn ? "You are signed in." : `${detail} (${error})`));
    settle({ code: isSignedIn ? query.get("code") : null, error, detail });
  });
  await listen(server);
  return {
    port: (server.address() as AddressInfo).port,
    returned: (signal) =>
      new Promise((resolve, reject) => {
        const abort = () =>
          reject(new LiveplaneError("Aborted", "The sign-in wasn't completed in time.", { cause: signal.reason }));
        if (signal.aborted) abort();
        signal.addEventListener("abort", abort, { once: true });
        void came.then(resolve);
      }),
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  connection: "close",
};

function pageOf(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>liveplane</title></head><body><p>${escaped}</p><p>You can close this page and go back to the terminal.</p></body></html>\n`;
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
}
