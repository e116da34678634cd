import { createPublicKey, type KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { jwtVerify } from "jose";
import { type Departures, departures } from "./descriptions/departures.ts";
import { createFakeServices, type GoogleAnswer, problem } from "./fake-google-services.ts";

/** What may go wrong with a kind of call. */
export type GoogleFault = "fail" | "throttle" | "lose-answer" | "quota";

/** The account whose key is good. */
export const serviceAccount = "agent@project-one.iam.gserviceaccount.com";

/**
 * Google's services and its token endpoint on loopback, as far as the adapter speaks to them. Each service lies under its name. What is
 * asked and answered is judged by what Google publishes.
 */
export async function fakeGoogle(privateKey: KeyObject, judged: Departures = departures()) {
  const publicKey = createPublicKey(privateKey);
  const faults = new Map<"read" | "bulk" | "write" | "operation", GoogleFault>();
  const services = createFakeServices();
  const seen: string[] = [];
  let tokens = 0;

  async function grant(form: URLSearchParams): Promise<GoogleAnswer> {
    try {
      await jwtVerify(form.get("assertion") ?? "", publicKey, {
        issuer: serviceAccount,
        subject: serviceAccount,
        audience: `${url}/token`,
        algorithms: ["RS256"],
        requiredClaims: ["scope", "iat", "exp"],
      });
    } catch {
      return [400, { error: "invalid_grant", error_description: "canary: the assertion may stand here" }];
    }
    tokens++;
    return [200, { access_token: "token-of-google", expires_in: 3600 }];
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = new URL(request.url ?? "/", "http://fake");
    const method = request.method ?? "GET";
    const text = await textOf(request);
    const asked = () => ({
      vendor: "google" as const,
      method,
      url: request.url ?? "/",
      headers: request.headers,
      body: text === "" ? null : (JSON.parse(text) as unknown),
    });
    const answer = ([status, body]: GoogleAnswer, headers = {}) => {
      if (address.pathname !== "/token") judged.judge(asked(), { status, headers, body });
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(status === 204 ? undefined : JSON.stringify(body));
    };
    if (address.pathname === "/token") return answer(await grant(new URLSearchParams(text)));
    if (request.headers.authorization !== "Bearer token-of-google") return answer(problem(401, "UNAUTHENTICATED"));
    seen.push(`${method} ${address.pathname}${address.search}`);
    const fault = faults.get(services.kindOf(method, address));
    if (fault === "fail") return answer(problem(503, "UNAVAILABLE"));
    if (fault === "throttle") return answer(problem(429, "RESOURCE_EXHAUSTED"), { "retry-after": "7" });
    if (fault === "quota") return answer(problem(403, "PERMISSION_DENIED", "rateLimitExceeded"));
    const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
    const result = services.carryOut(method, address, body);
    if (fault === "lose-answer") {
      judged.judge(asked(), null);
      return void request.socket.destroy();
    }
    answer(result);
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...services,
    url,
    faults,
    seen,
    tokens: () => tokens,
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
