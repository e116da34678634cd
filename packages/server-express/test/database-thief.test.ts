import { createHash, createHmac } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@liveplane/client";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { mailed } from "./every-operation/script-accounts.ts";
import { type EndableServer, request, startServer } from "./running-server.ts";

let server: EndableServer;
const dataDir = emptyFolder(afterAll);
/** Everything that stands in the database, as texts: keys, values, and each string in a value by itself. */
let loot: ReadonlySet<string>;
let rows: readonly { readonly key: string; readonly value: string }[];
const known: Record<string, string> = {};

/** A world with one of everything that lets somebody in, and whoever has copied its database meanwhile. */
beforeAll(async () => {
  const mails = join(dataDir, "mails");
  mkdirSync(mails);
  server = await startServer({ LIVEPLANE_DATA: dataDir, LIVEPLANE_MAIL: `dir:${mails}` });
  const ada = await server.person("ada");
  const anonymous = createClient({ baseUrl: server.url });
  await anonymous.accounts.createWithEmail({ email: "eve@example.com" });
  known.activation = await mailed("eve@example.com", { mails });
  await anonymous.accounts.createWithEmail({ email: "ivy@example.com" });
  const ivy = createClient({ baseUrl: server.url, token: await mailed("ivy@example.com", { mails }) });
  await ivy.accounts.activate({ name: "Ivy", surname: "Moor", password: "correct horse battery" });
  await anonymous.accounts.requestPasswordReset({ email: "ivy@example.com" });
  const { serviceAccountId } = await ada.api.accounts.serviceAccount();
  known.service = serviceAccountId ?? "";
  await ada.api.accounts.issueServiceAccountSecret({});
  const dev = { type: "Personal", ownerId: ada.id, shortName: "dev" } as const;
  await ada.api.environments.create(dev, {}, { idempotencyKey: "once" });
  for (const shortName of ["a", "b"]) await ada.api.environments.secrets.create(dev, { shortName, value: shortName });
  const { nextCursor } = await ada.api.environments.secrets.list(dev, { limit: 1 });
  known.cursor = nextCursor ?? "";
  known.environment = `Personal/${ada.id}/dev`;
  known.ada = ada.id;

  const thief = new Sqlite(join(dataDir, "liveplane.db"), { readonly: true });
  rows = thief.prepare("SELECT key, value FROM entry").all() as typeof rows;
  thief.close();
  const texts = new Set<string>();
  for (const { key, value } of rows) {
    for (const part of key.split("\u0000")) texts.add(part);
    const all = (of: unknown): void => {
      if (typeof of === "string") texts.add(of);
      else if (typeof of === "object" && of !== null) Object.entries(of).flat().forEach(all);
    };
    all(JSON.parse(value));
  }
  loot = texts;
}, 60_000);
afterAll(async () => {
  await server.end();
});

/** Each text as the bytes that it may stand for. */
function* keysIn(texts: Iterable<string>): Generator<Buffer> {
  for (const text of texts)
    for (const encoding of ["utf8", "base64url", "base64", "hex"] as const) {
      const bytes = Buffer.from(text, encoding);
      if (bytes.length >= 16) yield bytes;
    }
}

const recordsOf = (collection: string) =>
  rows.filter(({ key }) => key.startsWith(`record\u0000${collection}\u0000`)).map(({ value }) => JSON.parse(value));

test("derives no challenge from anything that lies in a stolen database", () => {
  const pending = recordsOf("challenge") as { handle: string; digest: string }[];
  expect(pending.length).toBeGreaterThanOrEqual(2);
  // That it would be found if the key lay there: the mailed one has that digest.
  const [handle, secret = ""] = (known.activation ?? "").split(".");
  const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");
  expect(pending.find((one) => one.handle === handle)?.digest).toBe(digestOf(secret));
  const found: string[] = [];
  for (const key of keysIn(loot))
    for (const one of pending) {
      const derived = createHmac("sha256", key).update(`challenge ${one.handle}`).digest("base64url");
      if (digestOf(derived) === one.digest || digestOf(key.toString("utf8")) === one.digest) found.push(one.handle);
    }
  expect(found).toEqual([]);
});

test("signs no cursor with anything that lies in a stolen database", () => {
  const [position = "", signature] = (known.cursor ?? "").split(".");
  const bind = JSON.stringify([position, known.ada, "environments.secrets.list", known.environment]);
  const found: string[] = [];
  for (const key of keysIn(loot))
    if (createHmac("sha256", key).update(bind).digest("base64url") === signature) found.push(bind);
  expect(found).toEqual([]);
});

test("signs in with nothing that lies in a stolen database", async () => {
  const { url } = server;
  const statuses = new Set<number>();
  const tried = { tokens: 0, refreshes: 0, secrets: 0, challenges: 0 };
  const long = [...loot].filter((text) => text.length >= 20 && text.length <= 200 && /^[\x21-\x7e]+$/.test(text));
  const handles = (recordsOf("challenge") as { handle: string; digest: string }[]).map(({ handle }) => handle);
  const sessions = (recordsOf("session") as { id: string }[]).map(({ id }) => id);
  const post = (path: string, json: unknown, token?: string) =>
    request(`${url}${path}`, { method: "POST", json, ...(token !== undefined && { token }) });
  for (const text of long) {
    statuses.add((await request(`${url}/accounts/me`, { token: text })).status);
    tried.tokens++;
  }
  const hashes = long.filter((text) => /^[A-Za-z0-9_-]{32,}$/.test(text)).slice(0, 60);
  for (const text of hashes) {
    for (const id of sessions.slice(0, 3)) {
      const refresh = { grant_type: "refresh_token", refresh_token: `${id}.${text}` };
      statuses.add((await post("/auth/token", refresh)).status);
      tried.refreshes++;
    }
    const credentials = { grant_type: "client_credentials", client_id: known.service, client_secret: text };
    statuses.add((await post("/auth/token", credentials)).status);
    tried.secrets++;
    for (const handle of handles) {
      const challenge = `${handle}.${text}`;
      const password = "another horse battery";
      statuses.add((await post("/accounts/activate", { name: "T", surname: "T", password }, challenge)).status);
      statuses.add((await post("/accounts/password-reset/confirm", { newPassword: password }, challenge)).status);
      tried.challenges++;
    }
  }
  expect([...statuses].sort()).toEqual([400, 401]);
  expect(Math.min(...Object.values(tried))).toBeGreaterThan(20);
});

test("finds no password, token, secret or key in the clear in any file but the key ring and the mails", () => {
  const secrets = ["correct horse battery", "a long enough secret", (known.activation ?? "").split(".")[1] ?? ""];
  const ring = readFileSync(join(dataDir, "key-ring"), "utf8").trim();
  const files = readdirSync(dataDir).filter((name) => name.startsWith("liveplane.db"));
  expect(files).toContain("liveplane.db-wal");
  for (const name of files) {
    const bytes = readFileSync(join(dataDir, name));
    for (const secret of [...secrets, ring]) expect([name, bytes.includes(secret)]).toEqual([name, false]);
  }
});
