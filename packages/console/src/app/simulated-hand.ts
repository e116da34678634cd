import { LiveplaneError } from "@liveplane/client";
import type { CloudHand, CloudsHere, HandedComponent } from "./workplace.ts";

type Tags = Readonly<Record<string, string>>;

/** What clouds the server has. In simulated ones operators can do from here what a person does in a real one's console. */
export async function cloudsAt(baseUrl: string, token: () => Promise<string>): Promise<CloudsHere> {
  const [{ ok }, current] = await Promise.all([fetch(`${baseUrl}simulator`, { method: "HEAD" }), token()]);
  if (!ok) return { kind: "real" };
  return { kind: "simulated", hand: isOperator(current) ? handAt(baseUrl, token) : null };
}

function handAt(baseUrl: string, token: () => Promise<string>): CloudHand {
  async function call(method: string, path: string, body?: object): Promise<unknown> {
    const headers = { authorization: `Bearer ${await token()}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${baseUrl}simulator/${path}`, { method, headers, ...sent });
    const value = (await answer.json()) as { detail?: string };
    if (!answer.ok) throw new LiveplaneError("ProviderError", value.detail);
    return value;
  }

  /** The tags that aren't the protocol's stay as they are. */
  async function retag({ provider, resourceId }: HandedComponent, change: (tags: Tags) => Tags): Promise<void> {
    const path = `${provider}/resources/${encodeURIComponent(resourceId ?? "")}`;
    const { tags } = (await call("GET", path)) as { tags: Tags };
    await call("PUT", `${path}/tags`, change(tags));
  }

  return {
    takeOver: (component) => retag(component, ({ "managed-by": _, platform: __, ...others }) => others),
    handBack: (component) => retag(component, (tags) => ({ ...tags, "managed-by": "platform", platform: "reconcile" })),
  };
}

/** What a token says of itself; the server judges it anew. */
function isOperator(token: string): boolean {
  const payload = token.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? "";
  const { scope = "" } = JSON.parse(atob(payload)) as { scope?: string };
  return scope.split(" ").includes("operator");
}
