import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { serverSources, startProcess } from "./server-process.ts";

/** Writes down every module that a process loads. */
const probe = `
import { registerHooks } from "node:module";
import { appendFileSync } from "node:fs";
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED, url + "\\n");
    return next(url, context);
  },
});`;

/** What a server has loaded when it runs and has answered. */
async function loadedBy(settings: Readonly<Record<string, string>>): Promise<string> {
  const folder = emptyFolder();
  const file = join(folder, "loaded");
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(probe)}`;
  const server = await startProcess(folder, { ...settings, NODE_OPTIONS, LOADED: file }, [], serverSources);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  server.child.kill("SIGTERM");
  await server.ended;
  return readFileSync(file, "utf8");
}

const parts = {
  "the provider that people sign in at": /node_modules\/openid-client\/|\/adapters\/src\/oidc\//,
  "tokens of pipelines": /\/adapters\/src\/external-issuer/,
  "the sender of webhooks": /\/adapters\/src\/webhooks\//,
  "Postgres and its jobs": /node_modules\/(?:pg|pg-boss)\//,
  "the command line": /\/client\/src\/cli\//,
};
const found = (loaded: string) => Object.entries(parts).flatMap(([name, files]) => (files.test(loaded) ? [name] : []));

test("nothing loads that a host doesn't ask for", { timeout: 60_000 }, async () => {
  const loaded = await loadedBy({ LIVEPLANE_WEBHOOKS: "off" });
  expect(loaded).toContain("/core/src/liveplane.ts");
  expect(found(loaded)).toEqual([]);
});

test("what it asks for loads", { timeout: 60_000 }, async () => {
  const issuer = "https://id.example";
  const loaded = await loadedBy({
    LIVEPLANE_OIDC_ISSUER: issuer,
    LIVEPLANE_OIDC_CLIENT_ID: "liveplane",
    LIVEPLANE_PIPELINE_ISSUERS: JSON.stringify([{ issuer, audience: "liveplane" }]),
  });
  expect(found(loaded)).toEqual([
    "the provider that people sign in at",
    "tokens of pipelines",
    "the sender of webhooks",
  ]);
});
