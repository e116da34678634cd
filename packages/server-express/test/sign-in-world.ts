import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@liveplane/client";
import type { Liveplane } from "@liveplane/core";
import { fetchHandler } from "@liveplane/core/fetch";
import { onTestFinished } from "vitest";
import { type Browser, openBrowser } from "../../adapters/test/openid/browser.ts";
import { clientId, clientSecret, openIdProvider } from "../../adapters/test/openid/openid-provider.ts";
import { startServer } from "./running-server.ts";

/** A program on the browser's machine that waits for a code; nothing listens where it says. */
function program() {
  const [state, codeVerifier] = [randomBytes(16).toString("base64url"), randomBytes(32).toString("base64url")];
  const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");
  const until = "http://127.0.0.1:9/";
  return { state, codeVerifier, until, query: `loopback=9&state=${state}&code_challenge=${codeChallenge}` };
}

/** Goes to the provider as the command line sends a browser: what it comes back with. */
export async function codeAt(server: string, browser: Browser = openBrowser(), more = "") {
  const { query, until, codeVerifier, state } = program();
  const visited = await browser.visit(`${server}/auth/oidc/start?${query}&${more}`, { until });
  const { searchParams: came } = visited.url;
  if (!visited.url.href.startsWith(until) || came.get("state") !== state)
    throw new TypeError(`It came elsewhere: ${visited.status} ${visited.url}`);
  return { visited, codeVerifier, code: came.get("code") ?? "", refused: came.get("error") };
}

/** Begins to link on a page of the server, with the path that its script was given: the page that asks to confirm. */
export async function offerOnPage(server: string, path: string, browser: Browser) {
  const headers = { origin: server };
  const begun = await browser.visit(`${server}${path}&returnTo=/openapi.json`, { method: "POST", headers });
  if (begun.status !== 200) throw new TypeError(`It did not begin: ${begun.status} ${begun.text}`);
  return browser.visit((JSON.parse(begun.text) as { location: string }).location);
}

/** The code in the fragment that a browser was sent to. */
export function codeIn({ url }: { readonly url: URL }): string {
  return new URLSearchParams(url.hash.slice(1)).get("code") ?? "";
}

/** A real server and a real provider that people of it sign in at, for the test that runs. */
export async function signInWorld(settings: Readonly<Record<string, string>> = {}) {
  const world = await startSignInWorld(settings);
  onTestFinished(world.end);
  return world;
}

/** Serves a control plane by the handler that other hosts mount, at a port of its own. */
async function overFetch(liveplane: Liveplane) {
  const handle = fetchHandler(liveplane, { rateLimits: "off" });
  const edge = createServer(async (incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const body = method === "GET" ? null : Buffer.concat(await incoming.toArray());
    const told = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    const answer = await handle(new Request(`http://${headers.host}${url}`, { method, headers: told, body }));
    outgoing.writeHead(answer.status, [...answer.headers].flat()).end(Buffer.from(await answer.arrayBuffer()));
  });
  edge.listen(0, "127.0.0.1");
  await once(edge, "listening");
  return {
    url: `http://127.0.0.1:${(edge.address() as AddressInfo).port}`,
    end() {
      edge.close();
      edge.closeAllConnections();
    },
  };
}

/** The same, for tests that share it; over Express, or over the handler that other hosts mount. */
export async function startSignInWorld(
  settings: Readonly<Record<string, string>> = {},
  { isOverFetch = false }: { readonly isOverFetch?: boolean } = {},
) {
  const provider = await openIdProvider();
  const started = await startServer({
    LIVEPLANE_OIDC_ISSUER: provider.issuer,
    LIVEPLANE_OIDC_CLIENT_ID: clientId,
    LIVEPLANE_OIDC_CLIENT_SECRET: clientSecret,
    ...settings,
  });
  const edge = isOverFetch ? await overFetch(started.liveplane) : null;
  const server = { ...started, url: edge?.url ?? started.url };
  const callback = `${server.url}/auth/oidc/callback`;
  await provider.serve(callback, `${server.url}/`);
  const nobody = createClient({ baseUrl: server.url });

  return {
    ...{ provider, server, callback, nobody, program },
    async end() {
      edge?.end();
      await server.end();
      await provider.end();
    },
    /** Signs in as the command line does. */
    async signIn(browser: Browser = openBrowser()) {
      const { visited, code, codeVerifier, refused } = await codeAt(server.url, browser);
      if (refused !== null) return { refused, visited, tokens: null, api: null };
      const tokens = await nobody.sessions.createByCode({ code, codeVerifier });
      return { refused: null, visited, tokens, api: createClient({ baseUrl: server.url, token: tokens.accessToken }) };
    },
    /** Signs in on a page: where that ends. */
    onPage: (browser: Browser = openBrowser(), returnTo = "/openapi.json") =>
      browser.visit(`${server.url}/auth/oidc/start?${new URLSearchParams({ returnTo })}`),
    /** Links whoever the provider takes the browser for to the account of somebody who is signed in. */
    async link(api: ReturnType<typeof createClient>, browser: Browser = openBrowser()) {
      const { url } = await api.accounts.identities.authorize();
      const visited = await browser.submit(await offerOnPage(server.url, url, browser));
      const code = codeIn(visited);
      return { visited, code, identity: () => api.accounts.identities.link({ code }) };
    },
  };
}

/** What a page of refusal says. */
export function said({ status, text }: { readonly status: number; readonly text: string }) {
  return { status, code: /Code <code>(\w+)<\/code>/.exec(text)?.[1] ?? null };
}
