import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@liveplane/client";
import type { Api } from "@liveplane/core";
import { fetchHandler } from "@liveplane/core/fetch";
import { clientId, clientSecret } from "../../../adapters/test/openid/openid-provider.ts";
import { readConfig } from "../../src/configuration/config.ts";
import { createReferenceServer } from "../../src/reference.ts";
import { operatorPassword } from "../running-server.ts";
import type { Who, World } from "./script.ts";

/** A world that can be ended. */
export interface RunningWorld extends World {
  readonly url: string;
  end(): Promise<void>;
}

/** How a world is called: in process, over a real port, or by the handler that other hosts mount. */
export type Transport = "in process" | "express" | "fetch";

type Fetch = typeof globalThis.fetch;

/** How a world's client goes about it. */
export interface Calling {
  /** Looks at what passes. */
  readonly judged?: (fetch: Fetch) => Fetch;
  /** Another address of the service. */
  readonly way?: (url: string) => Promise<string>;
  /** @default 0 */
  readonly retries?: number;
  /** The OpenID provider that people may sign in at. */
  readonly issuer?: string;
}

/** Nothing here loses power: what is written need not reach a disk, which takes a third of such a test's time. */
const inMemory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A whole service over a real database, called by one transport. */
export async function startWorld(transport: Transport, calling: Calling = {}): Promise<RunningWorld> {
  const { judged = (fetch) => fetch, way, retries = 0, issuer } = calling;
  const dataDir = mkdtempSync(join(inMemory, "liveplane-"));
  const mails = join(dataDir, "mails");
  mkdirSync(mails);
  const server = await createReferenceServer(
    readConfig({
      environment: {
        PORT: "0",
        LIVEPLANE_DATA: dataDir,
        LIVEPLANE_OPERATOR_PASSWORD: operatorPassword,
        LIVEPLANE_OPEN_REGISTRATION: "on",
        LIVEPLANE_RATE_LIMITS: "off",
        LIVEPLANE_DRAIN_SECONDS: "0.1",
        LIVEPLANE_REVEAL: "on",
        LIVEPLANE_MAIL: `dir:${mails}`,
        LIVEPLANE_VALIDATE_ANSWERS: "on",
        LIVEPLANE_LOG: "error",
        LIVEPLANE_CONSOLE_URL: "https://liveplane.example/",
        ...(issuer !== undefined && {
          LIVEPLANE_OIDC_ISSUER: issuer,
          LIVEPLANE_OIDC_CLIENT_ID: clientId,
          LIVEPLANE_OIDC_CLIENT_SECRET: clientSecret,
          LIVEPLANE_OIDC_PROVISION: "verified-email",
        }),
        LIVEPLANE_PLANS: '{"discover":{"organizations":1}}',
        LIVEPLANE_PIPELINE_ISSUERS: JSON.stringify([{ issuer: "https://ci.example", audience: "liveplane" }]),
      },
    }),
  );
  const url = (await server.start()) ?? "";
  const baseUrl = (await way?.(url)) ?? url;
  const known: Record<string, string> = { role: "6f1f7a3e-9d5b-4c62-8d6f-3a1b2c3d4e5f" };

  const handle = fetchHandler(server.liveplane, { rateLimits: "off" });
  const handled: Fetch = (input, init) => handle(new Request(input, init));
  const fetch = judged(transport === "fetch" ? handled : globalThis.fetch);

  const clients = new Map<string | undefined, Api>();
  function as(who: Who): Api {
    const token = who === "challenge" ? known.challenge : known[`${who}Token`];
    if (transport === "in process")
      return server.liveplane.as(token === undefined ? { kind: "anonymous" } : { kind: "bearer", token });
    const client = clients.get(token) ?? createClient({ baseUrl, fetch, retries, ...(token && { token }) });
    clients.set(token, client);
    return client;
  }

  const signedIn = await as("anonymous").sessions.create({ username: "operator", password: operatorPassword });
  known.operatorToken = signedIn.accessToken;

  /** What somebody does by hand, in a simulated cloud. */
  async function atConsole(path: string, body: object): Promise<void> {
    const headers = { authorization: `Bearer ${signedIn.accessToken}`, "content-type": "application/json" };
    const address = `${url}/simulator/${path}`;
    const { status } = await globalThis.fetch(address, { method: "PUT", headers, body: JSON.stringify(body) });
    if (status !== 200) throw new RangeError(`The console answered ${status}.`);
  }

  return {
    url,
    mails,
    known,
    as,
    setTags: (resourceId, tags) => atConsole(`provider-a/resources/${encodeURIComponent(resourceId)}/tags`, tags),
    setFaults: (provider, faults) => atConsole(`${provider}/faults`, faults),
    async end() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const secretNames =
  /^(accessToken|access_token|refreshToken|refresh_token|secret|fingerprint|publicKey|userCode|nextCursor|kid|x|hash|before|uri)$/;
/** What a simulated cloud calls an environment's and a live system's resources: made of their ids. */
const namesInClouds = /lp-?(?:web|slow)-?[0-9a-f]{10}|(?:app|vnet)-[0-9a-f]{10}/g;
/** Of passkeys, and the account's in base64url. */
const passkeyIds = /^(?:[A-Za-z0-9_-]{22}|[A-Za-z0-9_-]{48})$/;
const dates = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Makes two runs comparable: ids by the order in which they appear, times, versions and secrets by what they are. */
export function createNormalizer(): (value: unknown) => unknown {
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    const name = names.get(id) ?? `id-${names.size + 1}`;
    names.set(id, name);
    return name;
  };
  return (value) =>
    JSON.parse(
      JSON.stringify(value, (member, of: unknown) => {
        if (member === "codes") return "recovery codes";
        if (typeof of === "number" && member === "sequence") return "a sequence number";
        if (member === "userAgent") return "a userAgent";
        if (typeof of !== "string") return of;
        if (member === "code" && of.length === 43) return "a code";
        if (member === "challenge" && of.length > 64) return "a challenge";
        if (member === "id" && passkeyIds.test(of)) return "a credential or its owner";
        if (dates.test(of)) return "a time";
        if (member === "version" || secretNames.test(member)) return `a ${member}`;
        if (member === "url") return of.replace(/(?<=link=).*/, "a ticket");
        // The server names its own variable in the place of the core's setting.
        if (member === "setting") return "a setting";
        if (member === "message" && of.includes("turns this on with")) return of.replace(/ \S+$/, " a setting");
        if (member === "message") return of.replaceAll(uuids, nameOf).replace(/[A-Z0-9-]{6,12}/g, "CODE");
        return of.replaceAll(uuids, nameOf).replaceAll(namesInClouds, "a-name");
      }),
    );
}
