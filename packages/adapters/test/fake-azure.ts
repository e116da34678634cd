import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Departures, departures } from "./descriptions/departures.ts";

type Body = Record<string, unknown>;
interface Kept {
  readonly id: string;
  readonly created: string;
  readonly revision: number;
  readonly body: Body;
}

/** What may go wrong with a kind of call. */
export type AzureFault = "fail" | "throttle" | "lose-answer";

const tenant = "72f988bf-0000-4000-8000-2d7cd011db47";
const userCode = "WDJB-MJHT";

/**
 * Azure Resource Manager and Entra on loopback, as far as the adapter speaks to them: conditions, tags, Resource Graph, long operations.
 * What is asked and answered is judged by what Microsoft publishes.
 */
export async function fakeAzure(judged: Departures = departures()) {
  const resources = new Map<string, Kept>();
  const faults = new Map<"read" | "bulk" | "write", AzureFault>();
  const seen: string[] = [];
  let made = 0;
  let hasSignedIn = false;

  const shown = ({ id, created, revision, body }: Kept) => ({
    ...body,
    id,
    name: id.split("/").at(-1),
    etag: `W/"${created}-${revision}"`,
    systemData: { createdAt: created },
  });
  const put = (id: string, body: Body) => {
    const known = resources.get(id.toLowerCase());
    const { etag: _, systemData: __, ...own } = body;
    const kept = {
      id,
      created: known?.created ?? `2026-01-01T00:00:00.${made++}Z`,
      revision: (known?.revision ?? 0) + 1,
      body: own,
    };
    resources.set(id.toLowerCase(), kept);
    return kept;
  };

  /** Carries a request out, and answers status and body. */
  function carryOut(method: string, path: string, body: Body, headers: IncomingMessage["headers"]): [number, unknown] {
    if (path === "/providers/Microsoft.ResourceGraph/resources") {
      const ids = [...String(body.query).matchAll(/'([^']*)'/g)].map(([, id]) => (id ?? "").toLowerCase());
      return [
        200,
        {
          data: ids
            .flatMap((id) => resources.get(id) ?? [])
            .map(shown)
            .reverse(),
        },
      ];
    }
    const places = /^\/subscriptions\/([^/]+)\/locations$/.exec(path);
    if (places)
      return [
        200,
        {
          value: [
            place(path, "westeurope", "Physical"),
            place(path, "eastus", "Physical"),
            place(path, "europe", "Logical"),
          ],
        },
      ];
    const tagged = /^(.*)\/providers\/Microsoft\.Resources\/tags\/default$/.exec(path)?.[1];
    const id = tagged ?? path;
    const known = resources.get(id.toLowerCase());
    const etag = known && shown(known).etag;
    if (headers["if-none-match"] === "*" && known) return [412, problem("PreconditionFailed")];
    if (headers["if-match"] !== undefined && known && headers["if-match"] !== etag)
      return [412, problem("PreconditionFailed")];
    if (method === "PUT") return [known ? 200 : 201, shown(put(id, body))];
    if (known === undefined) return [method === "DELETE" ? 204 : 404, problem("ResourceNotFound")];
    if (method === "DELETE") resources.delete(id.toLowerCase());
    if (method === "PATCH") {
      const gone = Object.keys((body.properties as { tags: Body }).tags);
      const tags = Object.entries((known.body.tags ?? {}) as Body).filter(([key]) => !gone.includes(key));
      put(id, { ...known.body, tags: Object.fromEntries(tags) });
    }
    return [200, shown(known)];
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://fake");
    const path = decodeURIComponent(pathname);
    const method = request.method ?? "GET";
    const text = await textOf(request);
    const asked = () => ({
      vendor: "azure" as const,
      method,
      url: request.url ?? "/",
      headers: request.headers,
      body: text === "" ? null : (JSON.parse(text) as unknown),
    });
    const answer = (status: number, body: unknown, headers = {}) => {
      if (isManagement(path) && request.headers.authorization !== undefined)
        judged.judge(asked(), { status, headers, body });
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(body));
    };
    if (path.endsWith("/.well-known/openid-configuration")) return answer(200, metadata(url, path.split("/")[1] ?? ""));
    if (path.endsWith("/oauth2/v2.0/devicecode")) return answer(200, deviceGrant(url));
    if (path.endsWith("/oauth2/v2.0/token")) {
      const form = new URLSearchParams(text);
      if (form.has("device_code"))
        return hasSignedIn
          ? answer(200, { token_type: "Bearer", access_token: "token-of-azure", expires_in: 3600 })
          : answer(400, { error: "authorization_pending" });
      const rejected = form.get("client_secret") === "reject" || !path.includes(tenant);
      return rejected
        ? answer(401, { error: "invalid_client" })
        : answer(200, { access_token: "token-of-azure", expires_in: 3600 });
    }
    const { authorization } = request.headers;
    if (authorization !== "Bearer token-of-azure") {
      const challenge = `Bearer authorization_uri="https://login.windows.net/${tenant}", error="invalid_token"`;
      return answer(401, problem("AuthenticationFailed"), { "www-authenticate": challenge });
    }
    seen.push(`${method} ${path}`);
    const fault = faults.get(kindOf(method, path));
    if (fault === "fail") return answer(503, problem("ServiceUnavailable"));
    if (fault === "throttle") return answer(429, problem("TooManyRequests"), { "retry-after": "7" });
    const [status, body] = carryOut(method, path, text === "" ? {} : (JSON.parse(text) as Body), request.headers);
    if (fault === "lose-answer") {
      judged.judge(asked(), null);
      return void request.socket.destroy();
    }
    answer(status, body);
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    faults,
    seen,
    setTags: (id: string, tags: Body) => void put(id, { ...resources.get(id.toLowerCase())?.body, tags }),
    setState: (id: string, provisioningState: string) => {
      const body = resources.get(id.toLowerCase())?.body;
      put(id, { ...body, properties: { ...(body?.properties as Body), provisioningState } });
    },
    remove: (id: string) => void resources.delete(id.toLowerCase()),
    /** The person with the other device signs in. */
    signIn() {
      hasSignedIn = true;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What Entra says of itself, as far as sign-in by device goes. */
function metadata(url: string, ofTenant: string) {
  const endpoints = `${url}/${ofTenant}/oauth2/v2.0`;
  return {
    issuer: `${url}/${ofTenant}/v2.0`,
    authorization_endpoint: `${endpoints}/authorize`,
    token_endpoint: `${endpoints}/token`,
    device_authorization_endpoint: `${endpoints}/devicecode`,
    jwks_uri: `${url}/${ofTenant}/discovery/v2.0/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["pairwise"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
}

function deviceGrant(url: string) {
  const device = { device_code: "canary-device-code", user_code: userCode, verification_uri: `${url}/devicelogin` };
  return { ...device, expires_in: 900, interval: 1, message: `Enter ${userCode}.` };
}

/** Entra's addresses begin with a tenant. */
function isManagement(path: string): boolean {
  return /^\/(subscriptions|providers)\b/.test(path);
}

function kindOf(method: string, path: string): "read" | "bulk" | "write" {
  if (path.includes("Microsoft.ResourceGraph")) return "bulk";
  return method === "GET" ? "read" : "write";
}

function place(path: string, name: string, regionType: string) {
  return {
    id: `${path}/${name}`,
    name,
    displayName: name.toUpperCase(),
    metadata: { regionType, geography: "Europe" },
  };
}

function problem(code: string) {
  return { error: { code, message: "What was sent may stand here: canary-client-secret, token-of-azure." } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
