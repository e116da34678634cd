import { LiveplaneError } from "@liveplane/client";

/** What the server has beside its API, for people who operate it. */
export interface ServerDoor {
  /** Asks it for what lies at a path below its address. JSON is read; all else is text. */
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** What a server has beside its API. */
export interface ServerHere {
  readonly hasSimulator: boolean;
  /** `null`: it isn't for this person. */
  readonly door: ServerDoor | null;
}

/** Looks what a server has for whoever holds that token. */
export async function serverAt(baseUrl: string, token: () => Promise<string>): Promise<ServerHere> {
  const [{ ok }, current] = await Promise.all([fetch(`${baseUrl}simulator`, { method: "HEAD" }), token()]);
  return { hasSimulator: ok, door: isOperator(current) ? doorOf(baseUrl, token) : null };
}

function doorOf(baseUrl: string, token: () => Promise<string>): ServerDoor {
  return {
    async ask(method, path, body) {
      const headers = { authorization: `Bearer ${await token()}`, "content-type": "application/json" };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`${baseUrl}${path}`, { method, headers, ...sent });
      const isJson = answer.headers.get("content-type")?.includes("json") === true;
      const value = isJson ? ((await answer.json()) as { detail?: string }) : await answer.text();
      // What isn't ready says so by its status, and its parts in its body.
      if (answer.ok || path === "readyz") return value;
      throw new LiveplaneError("ProviderError", typeof value === "string" ? undefined : value.detail);
    },
  };
}

/** What a token says of itself; the server judges it anew. */
function isOperator(token: string): boolean {
  const payload = token.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? "";
  const { scope = "" } = JSON.parse(atob(payload)) as { scope?: string };
  return scope.split(" ").includes("operator");
}
