import { LiveplaneError } from "@liveplane/client";

/** The server that the pages come from. */
export interface OwnServer {
  /** Ends with a slash. */
  readonly address: string;
  /** Sends a request with the session's token, unless it has a credential. `path` is from the address, without a slash before it. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** What the server has next to its API, for people who operate it. */
export interface ServerDoor {
  /** Asks it for what is at a path below its address. JSON is read; all else is text. */
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** What a server has next to its API. */
export interface ServerHere {
  readonly hasSimulator: boolean;
  /** `null`: it isn't for this person. */
  readonly door: ServerDoor | null;
}

/** Checks what a server has for anyone who holds that token. */
export async function serverAt(server: OwnServer, token: () => Promise<string>): Promise<ServerHere> {
  const [{ ok }, current] = await Promise.all([server.send("simulator", { method: "HEAD" }), token()]);
  return { hasSimulator: ok, door: isOperator(current) ? doorOf(server) : null };
}

function doorOf(server: OwnServer): ServerDoor {
  return {
    async ask(method, path, body) {
      const headers = { "content-type": "application/json" };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await server.send(path, { method, headers, ...sent });
      const isJson = answer.headers.get("content-type")?.includes("json") === true;
      const value = isJson ? ((await answer.json()) as { detail?: string }) : await answer.text();
      // What isn't ready says so by its status, and its parts in its body.
      if (answer.ok || path === "readyz") return value;
      throw new LiveplaneError("ProviderError", typeof value === "string" ? undefined : value.detail);
    },
  };
}

/** What a token says of itself; the server judges it again. */
function isOperator(token: string): boolean {
  const payload = token.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? "";
  const { scope = "" } = JSON.parse(atob(payload)) as { scope?: string };
  return scope.split(" ").includes("operator");
}
