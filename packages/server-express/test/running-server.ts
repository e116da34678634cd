import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@liveplane/client";
import type { Api, Liveplane } from "@liveplane/core";
import { onTestFinished } from "vitest";
import { readConfig } from "../src/configuration/config.ts";
import { createReferenceServer } from "../src/reference.ts";

/** The password of the account `operator`. */
export const operatorPassword = "a long enough secret";

/** The password of everybody else. */
export const personsPassword = "correct horse battery";

/** A real server on a real port over a real database, and people who are signed in to it. */
export interface RunningServer {
  readonly url: string;
  readonly dataDir: string;
  /** The control plane behind it, in this process. */
  readonly liveplane: Liveplane;
  readonly operator: Api;
  /** A new account, signed in. */
  person(username: string): Promise<Person>;
}

/** A server that its test ends itself. */
export interface EndableServer extends RunningServer {
  end(): Promise<void>;
}

/** Somebody with an account. */
export interface Person {
  readonly id: string;
  readonly api: Api;
  readonly token: string;
}

/** Starts a server for the test that runs, and stops it after. Limits are off unless the settings say otherwise. */
export async function runServer(settings: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const server = await startServer(settings);
  onTestFinished(server.end);
  return server;
}

/** Starts a server that several tests share. */
export async function startServer(settings: Readonly<Record<string, string>> = {}): Promise<EndableServer> {
  const dataDir = settings.LIVEPLANE_DATA ?? mkdtempSync(join(tmpdir(), "liveplane-"));
  const environment = {
    PORT: "0",
    LIVEPLANE_DATA: dataDir,
    LIVEPLANE_OPERATOR_PASSWORD: operatorPassword,
    LIVEPLANE_OPEN_REGISTRATION: "on",
    LIVEPLANE_RATE_LIMITS: "off",
    LIVEPLANE_DRAIN_SECONDS: "0.1",
    LIVEPLANE_METRICS: "machine",
    LIVEPLANE_LOG: "silent",
    ...settings,
  };
  const server = await createReferenceServer(readConfig({ environment }));
  const url = (await server.start()) ?? "";
  const operator = createClient({ baseUrl: url, credentials: { username: "operator", password: operatorPassword } });
  return {
    url,
    dataDir,
    liveplane: server.liveplane,
    operator,
    async end() {
      await server.stop();
      if (settings.LIVEPLANE_DATA === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
    async person(username) {
      const password = personsPassword;
      const { id } = await createClient({ baseUrl: url }).accounts.createWithCredentials({ username, password });
      const { accessToken } = await createClient({ baseUrl: url }).sessions.create({ username, password });
      return { id, token: accessToken, api: createClient({ baseUrl: url, token: accessToken }) };
    },
  };
}

/** A request by hand, for what the typed client can't be made to send. */
export async function request(url: string, init: RequestInit & { token?: string; json?: unknown } = {}) {
  const { token, json, ...rest } = init;
  const headers = new Headers(rest.headers);
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  if (json !== undefined) headers.set("content-type", "application/json");
  const response = await fetch(url, { ...rest, headers, ...(json !== undefined && { body: JSON.stringify(json) }) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: text === "" ? undefined : JSON.parse(text) };
}
