import { LiveplaneError } from "@liveplane/client";

/** The server that serves the pages. */
export interface OwnServer {
  /** Ends with a slash. */
  readonly address: string;
  /** Sends a request with the session's token, unless it has a credential. `path` is relative to the address, without a leading slash. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** The server's endpoints outside the API. */
export interface ServerDoor {
  /** Requests a path below the server's address. JSON is parsed; anything else is text. */
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** What a server offers outside its API. */
export interface ServerHere {
  /** The simulated clouds; `null`: the clouds are real. */
  readonly simulator: ServerDoor | null;
  /** What is for operators; `null` for anybody else. */
  readonly door: ServerDoor | null;
}

/** Finds out what a server offers to the holder of a token. */
export async function serverAt(server: OwnServer, token: () => Promise<string>): Promise<ServerHere> {
  const [{ ok }, current] = await Promise.all([server.send("simulator", { method: "HEAD" }), token()]);
  const door = doorOf(server);
  return { simulator: ok ? door : null, door: isOperator(current) ? door : null };
}

function doorOf(server: OwnServer): ServerDoor {
  return {
    async ask(method, path, body) {
      const headers = { "content-type": "application/json" };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await server.send(path, { method, headers, ...sent });
      const isJson = answer.headers.get("content-type")?.includes("json") === true;
      const value = isJson ? ((await answer.json()) as { detail?: string }) : await answer.text();
      // An unready part is reported by the status and in the body.
      if (answer.ok || path === "readyz") return value;
      throw new LiveplaneError("ProviderError", typeof value === "string" ? undefined : value.detail);
    },
  };
}

/** Reads a token's claims; the server checks them again. */
function isOperator(token: string): boolean {
  const payload = token.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? "";
  const { scope = "" } = JSON.parse(atob(payload)) as { scope?: string };
  return scope.split(" ").includes("operator");
}
