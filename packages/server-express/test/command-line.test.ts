import { execFile, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createClient } from "@liveplane/client";
import { waitForInitialization, waitForMutation } from "@liveplane/core/routes";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import type { CliHost } from "../../client/src/cli/host.ts";
import { softwareAuthenticator } from "../../core/test/builders/authenticator.ts";
import { authenticatorApp } from "../../core/test/builders/factors.ts";
import { type EndableServer, operatorPassword, request, startServer } from "./running-server.ts";
import { bareEnvironment } from "./server-process.ts";
import { severedLine } from "./severed-line.ts";
import { typedLine } from "./typed-line.ts";

let server: EndableServer;
let ownerId: string;
const home = emptyFolder(afterAll);
const password = "correct horse battery";

beforeAll(async () => {
  server = await startServer({
    LIVEPLANE_CHECK_SECONDS: "0.1",
    LIVEPLANE_REVEAL: "on",
    LIVEPLANE_CONSOLE_URL: "https://liveplane.example",
  });
  ownerId = (await server.person("ada")).id;
});
afterAll(async () => {
  await server.end();
});

interface Typed {
  readonly answers?: readonly string[];
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly run?: CliHost["run"];
  readonly print?: CliHost["print"];
  readonly say?: CliHost["say"];
  readonly signal?: AbortSignal;
}

/** Runs a command line in this process, as somebody with a home of their own. */
async function typed(line: string | readonly string[], { answers = [], input = "", ...more }: Typed = {}) {
  const left = [...answers];
  const ask = async () => left.shift() ?? "";
  return typedLine(line, {
    folder: home,
    ...{ ask, askSecret: ask, readInput: async () => input },
    ...more,
    environment: { LIVEPLANE_URL: server.url, ...more.environment },
  });
}

const console = (method: string, resourceId: string, what: string, body: unknown) =>
  simulator(method, `resources/${encodeURIComponent(resourceId)}${what && `/${what}`}`, body);

const setFaults = (faults: object) => simulator("PUT", "faults", faults);

async function operatorsToken(): Promise<string> {
  const credentials = { username: "operator", password: operatorPassword };
  return (await server.operator.sessions.create(credentials)).accessToken;
}

async function simulator(method: string, path: string, json?: unknown) {
  const at = `${server.url}/simulator/provider-a/${path}`;
  const answer = await request(at, { method, token: await operatorsToken(), json });
  expect(answer.status).toBe(200);
  return answer.json;
}

const environment = () => `Personal/${ownerId}/production`;

test("the story of a hand-over, typed", { timeout: 120_000 }, async () => {
  expect(await typed("status", { environment: { LIVEPLANE_URL: "" } })).toMatchObject({ code: 2 });
  expect(await typed("login ada", { answers: [password] })).toMatchObject({
    code: 0,
    said: expect.stringMatching(/^Signed in to .* as ada\.$/),
  });
  for (const twice of ["login ada grace", "login ada --username grace"])
    expect(await typed(twice)).toMatchObject({ code: 2, said: expect.stringContaining("one user name") });

  expect(await typed(`environments create ${environment()}`)).toMatchObject({ code: 0 });
  const credentials = join(home, "credentials.json");
  const secret = { providerAClientId: "9f5a8f6e-6a64-4f62-8a58-0d8a7f6b2c02", providerAClientSecret: "any" };
  writeFileSync(credentials, JSON.stringify(secret));
  const placement = '{"subscriptionId":"0b8a1a52-7a3e-4b7e-9a9e-0d6f6b1f0c01","region":"westeurope"}';
  const initialize = ["environments", "provider-a", "initialize", environment(), "--body", placement];
  expect(await typed([...initialize, "--credentials", credentials])).toMatchObject({ code: 0 });
  await expect
    .poll(async () => (await typed(`environments provider-a status ${environment()} --json`)).out, { timeout: 30_000 })
    .toContain('"Completed"');

  const file = join(home, "shop.yaml");
  writeFileSync(
    file,
    `# The shop.
name: shop
environmentId: { type: Personal, ownerId: me, shortName: production }
components:
  - path: storage
    provider: provider-a
    type: Microsoft.Storage/storageAccounts@2023-05-01
    parameters:
      tier: hot # until it is cold
      size: 2
`,
  );
  expect(await typed(`plan -f ${file}`)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^storage +create +\/tier(.*\n)+1 to create\.\n$/m),
  });
  const wrong = join(home, "wrong.yaml");
  const mistakes = { provider: ["provider-a", "provider-z"], type: ["type: Microsoft", "kind: Microsoft"] } as const;
  for (const [member, [right, mistake]] of Object.entries(mistakes)) {
    writeFileSync(wrong, readFileSync(file, "utf8").replace(right, mistake));
    const said = expect.stringMatching(new RegExp(`^\\w+: storage: ${member} \\(line \\d+\\): [^#]*$`));
    expect(await typed(`plan -f ${wrong}`)).toMatchObject({ code: 1, said });
  }
  expect((await typed("live-systems list")).out).not.toContain("shop");
  expect(await typed(`deploy -f ${file} --wait`)).toMatchObject({
    code: 0,
    out: expect.stringContaining("Succeeded"),
    said: expect.stringMatching(/(^|\n)storage: done$/),
  });
  expect(readFileSync(file, "utf8")).toMatch(/^# The shop\.\nid: [\da-f-]{36}\nname: shop/m);
  expect(await typed("drift shop")).toMatchObject({ code: 0, said: "No drift." });
  expect((await typed(`plan ${file}`)).out).toMatch(/^shop\/storage +none$/m);
  const copy = join(home, "copy.yaml");
  writeFileSync(copy, (await typed("declaration shop")).out);
  expect(await typed(`plan ${copy}`)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\n1 unchanged\.\n$/),
    said: "",
  });
  const renamed = join(home, "renamed.yaml");
  writeFileSync(
    renamed,
    readFileSync(copy, "utf8").replace(/name: shop\n(description: .*\n)?/, "name: store\ndescription: Sells things.\n"),
  );
  expect(await typed(`plan ${renamed}`)).toMatchObject({
    said: "The live system's name changes from shop to store.\nThe live system's description changes.",
  });
  expect(await typed(`deploy -f ${copy} --wait`)).toMatchObject({ code: 0 });
  writeFileSync(copy, readFileSync(copy, "utf8").replace(/^id: .*\n/m, ""));
  expect(await typed(`plan ${copy}`)).toMatchObject({
    said: expect.stringMatching(
      /^The live system is new\.\nWarning: .* makes a second one\. To deploy the existing one, give its ID: [\da-f-]{36}\.$/,
    ),
  });
  expect(JSON.parse((await typed("declaration shop --json")).out)).toMatchObject({
    ...{ $schema: expect.any(String), id: expect.any(String), name: "shop" },
    components: [{ path: "storage", parameters: { tier: "hot", size: 2 } }],
  });
  expect((await typed("live-systems components get shop/storage")).out).toContain('"status": "Active"');
  const other = join(home, "other.yaml");
  writeFileSync(other, readFileSync(file, "utf8").replace("size: 2", "kind: other"));
  expect(await typed(`plan -f ${other}`)).toMatchObject({
    code: 1,
    said: "The deploy would fail first at storage: kind can't change once the resource exists.",
  });

  // The line breaks while it is watched.
  const line = await severedLine(server.url);
  onTestFinished(line.end);
  await typed("login --username ada", { answers: [password], environment: { LIVEPLANE_URL: line.url } });
  const breaking: CliHost["say"] = (said) => {
    if (said.includes("Removed managed-by")) line.sever();
    if (said.includes("Reconnecting")) line.mend();
  };
  const watched = await typed("take-over shop/storage --watch", {
    environment: { LIVEPLANE_URL: line.url },
    say: breaking,
  });
  expect(watched).toMatchObject({
    code: 0,
    out: "",
    said: expect.stringMatching(
      /^Removed managed-by .*, and set platform-owner=ada\..*\nThe connection to.*\nManualOverride, /,
    ),
  });
  await typed("login --username ada", { answers: [password] });
  const { resourceId } = JSON.parse((await typed("why shop/storage --json")).out);
  await console("PATCH", resourceId, "parameters", { tier: "cold", size: 5 });

  await expect.poll(async () => (await typed("drift shop")).code, { timeout: 30_000 }).toBe(3);
  expect((await typed("overrides")).out).toMatch(
    /^AGE +COMPONENT +BY +WHY +DIFFERS +WAITS FOR\n.* shop\/storage .* a hand-back$/m,
  );
  const elsewhere = await typed("overrides --environment Personal/me/elsewhere");
  expect(elsewhere).toMatchObject({ code: 1, said: expect.stringContaining("no environment Personal/me/elsewhere") });
  expect((await typed("why shop/storage")).out).toMatch(
    /: Overridden\n {2}last check: \d+ s ago\n(.*\n)*.*declared "?hot"?, in the cloud "?cold"?\n(.*\n)*.*taken over/,
  );
  expect((await typed("why shop/storage")).out).toMatch(/\n {2}readable: yes, for .*\n(.*\n)* {2}in sync: no \(\w+\)/);
  expect((await typed("plan shop/storage")).out).toMatch(/\/tier +cold +hot +cloud\n/);
  expect((await typed("plan shop/nothing")).said).toContain("There is no component shop/nothing");

  // The size is kept, the tier is not.
  expect(await typed(`keep shop/storage -f ${file}`)).toMatchObject({
    code: 0,
    said: expect.stringContaining("2 of 2"),
  });
  const kept = readFileSync(file, "utf8");
  expect(kept).toContain("tier: cold # until it is cold");
  const { $id: schema } = JSON.parse((await typed("schema")).out);
  expect(kept.startsWith(`# yaml-language-server: $schema=${schema}\n# The shop.\n`)).toBe(true);
  writeFileSync(file, kept.replace("tier: cold", "tier: hot"));
  expect((await typed(`plan -f ${file}`)).out).toMatch(
    /\/storage +leave alone(.*\n)+.*\/storage is left alone: It is taken over\.\n1 to leave alone\.\n$/,
  );
  expect(await typed(`deploy -f ${file} --wait`)).toMatchObject({ code: 0 });

  const back = await typed("hand-back shop/storage --watch");
  expect(back).toMatchObject({ code: 0, said: expect.stringContaining("Active, in sync: yes") });
  expect(await typed("overrides")).toMatchObject({ code: 0, said: "No overrides." });

  const { code, out } = await typed("status");
  expect([code, out]).toEqual([0, expect.stringMatching(/^shop .* 1 InSync +Succeeded/m)]);
  writeFileSync(copy, readFileSync(copy, "utf8").replace(/^id: .*\n/m, ""));
  expect((await typed(`deploy -f ${copy} --wait`)).said).toMatch(
    /Warning: The environment already had a live system named shop\. To deploy that one, give its ID: [\da-f-]{36}\./,
  );
  expect(await typed("logout")).toMatchObject({ code: 0, said: "Signed out." });
  expect(await typed("status")).toMatchObject({ code: 2 });
});

test("an operator takes over and hands back in a simulated cloud; what can't be handed back says why", {
  timeout: 60_000,
}, async () => {
  const api = server.operator;
  const place = { type: "Personal", ownerId: (await api.accounts.me()).id, shortName: "shop" } as const;
  await api.environments.create(place, {});
  const credentials = { providerAClientId: "9f5a8f6e-6a64-4f62-8a58-0d8a7f6b2c02", providerAClientSecret: "any" };
  await api.environments.providerA.initialize(place, { subscriptionId: crypto.randomUUID() }, credentials);
  const type = "Microsoft.Storage/storageAccounts@2023-05-01";
  const storage = { path: "storage", provider: "provider-a", type, parameters: { tier: "hot" } };
  const app = { ...storage, path: "app", dependsOn: ["storage"] };
  const initialized = async () => (await api.environments.providerA.status(place)).initializationRun.status;
  await expect.poll(initialized, { timeout: 20_000 }).toBe("Completed");
  await waitForMutation(
    api,
    await api.liveSystems.create({ name: "depot", environmentId: place, components: [storage, app] }),
  );

  const as = { folder: emptyFolder() };
  await typed("login --username operator", { ...as, answers: [operatorPassword] });
  await api.accounts.update({ name: "Grace", surname: "Hopper" });
  const early = await typed("hand-back depot/storage", as);
  expect(early).toMatchObject({
    code: 1,
    said: expect.stringMatching(/^depot\/storage can't be handed back: Nobody has taken it over\.$/),
  });
  const [enough, seen] = [new AbortController(), [] as string[]];
  const watching = typed("watch depot", {
    ...as,
    signal: enough.signal,
    print: (line) => void seen.push(String(line)),
  });
  const bot = { ...place, principalId: crypto.randomUUID() };
  await api.environments.serviceAccounts.assign(bot, { serviceAccountRole: "Bot" });
  const { secret } = await api.environments.serviceAccounts.issueSecret(bot, {});
  const signIn = { grant_type: "client_credentials", client_id: bot.principalId, client_secret: secret } as const;
  const { access_token: token } = await api.tokens.create(signIn);
  const byBot = { environment: { LIVEPLANE_URL: server.url, LIVEPLANE_TOKEN: token }, folder: emptyFolder() };
  expect(await typed("take-over depot/storage", byBot)).toMatchObject({
    code: 1,
    out: expect.stringContaining("curl -sSf"),
  });

  const taken = await typed("take-over depot/storage --watch", as);
  // The agent didn't take it over; it saw that somebody had.
  await expect
    .poll(() => seen.join("\n"), { timeout: 20_000 })
    .toMatch(/component\.override\.started {2}depot\/storage {2}Grace Hopper, seen by the agent$/m);
  enough.abort();
  await watching;
  expect(taken).toMatchObject({
    code: 0,
    out: "",
    said: expect.stringMatching(/^Removed managed-by .*\nManualOverride.* it last wrote \d+ s ago\.$/),
  });
  const row = await typed("overrides --environment Personal/me/shop", as);
  expect(row.out).toMatch(/\n.* depot\/storage +Grace Hopper /);
  expect((await typed("overrides --ids", as)).out).toMatch(/\n.* [\da-f]{8}-[\da-f-]{27}\/storage +Grace Hopper /);
  const note = { reason: "by hand", ticket: "INC-42" };
  await api.liveSystems.components.annotateOverride(await placeOf("depot/storage", as), note);
  expect((await typed("overrides --environment Personal/me/shop", as)).out).toContain(" by hand · INC-42 ");
  expect((await typed("why depot/storage", as)).out).toMatch(
    /^depot\/storage: (.*\n)*.*taken over .* by Grace Hopper\n/,
  );
  const back = await typed("hand-back depot/storage --watch", as);
  expect(back).toMatchObject({
    code: 0,
    out: "",
    said: expect.stringMatching(/^Set managed-by .*Active, in sync: yes/s),
  });

  const { resourceId } = JSON.parse((await typed("why depot/storage --json", as)).out);
  await setFaults({ slow: { takesMs: 0, fails: { code: "QuotaExceeded", message: "No more of these." } } });
  const { id } = await placeOf("depot/storage", as);
  const components = [storage, app].map((one) => ({ ...one, parameters: { tier: "cold" } }));
  await api.liveSystems.deploy({ id }, { name: "depot", environmentId: place, components });
  await expect
    .poll(async () => Object.values(await typed("drift depot", as)).join(), { timeout: 20_000 })
    .toMatch(/Failing.*blocked/s);
  const drifted = await typed("drift depot", as);
  expect(drifted).toMatchObject({
    code: 3,
    said: "depot/app is only blocked: storage must match its declaration first.",
  });
  expect(drifted.out).toMatch(
    /^COMPONENT +STATUS +WHY +MESSAGE\ndepot\/storage +Failing +\w+ +QuotaExceeded No more of these\.\n$/,
  );
  await setFaults({});
  await expect.poll(async () => (await typed("drift depot", as)).code, { timeout: 20_000 }).toBe(0);

  await typed("take-over depot/storage --watch", as);
  await console("DELETE", resourceId, "", undefined);
  const missing = await typed("hand-back depot/storage", as);
  expect(missing).toMatchObject({ code: 1, said: expect.stringContaining("The resource is missing. Deploy again") });
});

/** A component's IDs, from what the command line says of it. */
async function placeOf(name: string, as: Typed) {
  const { livesystemId: id, id: componentId } = JSON.parse((await typed(`why ${name} --json`, as)).out);
  return { id, componentId };
}

test("watch shows components and people by name", { timeout: 60_000 }, async () => {
  const { id, api, token } = await server.person("hedy");
  await api.accounts.update({ name: "Hedy", surname: "Lamarr" });
  const enough = new AbortController();
  const seen: string[] = [];
  const watching = typed("watch", {
    environment: { LIVEPLANE_URL: server.url, LIVEPLANE_TOKEN: token },
    signal: enough.signal,
    print: (line) => void seen.push(String(line)),
  });
  const put = (nth: number) => api.accounts.resourceGroups.upsert({ shortName: "mine" }, { displayName: `${nth}` });
  // A stream begins where the log is when it opens.
  for (let nth = 0; seen.length === 0; nth++) {
    await put(nth);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  enough.abort();
  expect((await watching).said).toBe("Waiting for events. Ctrl+C ends it.");
  expect(seen[0]).toMatch(/resource_group\.\w+ {2}Personal\/Hedy Lamarr\/mine {2}Hedy Lamarr$/);
  expect(seen[0]).not.toContain(id);
});

test("receive shows events as watch does: by name to whoever is signed in, and in the order in which they came", async () => {
  const { id, api, token } = await server.person("mae");
  await api.accounts.update({ name: "Mae", surname: "Jemison" });
  const received = async (more: Typed) => {
    const enough = new AbortController();
    const [seen, said] = [[] as string[], [] as string[]];
    const receiving = typed("receive --port 0", {
      ...{ folder: emptyFolder(), signal: enough.signal, ...more },
      print: (line) => void seen.push(String(line)),
      say: (lines) => void said.push([lines].flat().join(" ")),
    });
    await expect.poll(() => said.length).toBe(1);
    const [address = ""] = /http:\S+\//.exec(said.join()) ?? [];
    const send = (message: object) => fetch(address, { method: "POST", body: JSON.stringify(message) });
    const event = { time: "2026-11-27T09:00:00Z", type: "resource_group.updated", subject: `Personal/${id}/mine` };
    const sent = [{ ...event, actor: id, data: {} }, { text: "for people" }, { other: 1 }];
    for (const message of sent) await send(message);
    await expect.poll(() => seen.length).toBe(3);
    enough.abort();
    expect((await receiving).code).toBe(0);
    return seen;
  };
  const rest = ["for people", '{"other":1}'];
  const environment = { LIVEPLANE_URL: server.url, LIVEPLANE_TOKEN: token };
  const when = "2026-11-27T09:00:00Z  resource_group.updated  Personal";
  expect(await received({ environment })).toEqual([`${when}/Mae Jemison/mine  Mae Jemison`, ...rest]);
  expect(await received({})).toEqual([`${when}/${id}/mine  ${id}`, ...rest]);
});

test("watch goes on where the line breaks, says so once, and misses nothing", { timeout: 60_000 }, async () => {
  const line = await severedLine(server.url);
  onTestFinished(line.end);
  const { api, token } = await server.person("wanda");
  const [enough, seen] = [new AbortController(), [] as string[]];
  const change = async (displayName: string) =>
    void (await api.accounts.resourceGroups.upsert({ shortName: "mine" }, { displayName }));
  const settled = (look: () => boolean) => expect.poll(look, { timeout: 20_000 }).toBe(true);
  const watching = typed("watch --json", {
    environment: { LIVEPLANE_URL: line.url, LIVEPLANE_TOKEN: token },
    signal: enough.signal,
    print: (line) => void seen.push(JSON.parse(String(line)).type),
  });
  // A stream begins where the log is when it opens.
  for (let nth = 0; seen.length === 0; nth++) {
    await change(`${nth}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  line.sever();
  const before = seen.length;
  await change("unseen");
  await settled(() => line.tries() > 1);
  line.mend();
  await settled(() => seen.length > before);
  line.sever();
  line.mend();
  await change("last");
  await settled(() => seen.length > before + 1);
  enough.abort();
  const { code, out, said } = await watching;
  expect(code).toBe(0);
  const sequences = out
    .trim()
    .split("\n")
    .map((event): number => JSON.parse(event).sequence);
  expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => one - other));
  expect(said.split("\n").filter((line) => line.includes("Reconnecting"))).toHaveLength(2);
});

test("secrets are in a command's environment, and in no argument", async () => {
  const folder = emptyFolder();
  const as = { folder };
  await typed("login --username ada", { ...as, answers: [password] });
  const place = `Personal/${ownerId}/secrets`;
  await typed(`environments create ${place}`, as);
  const body = '{"shortName":"api-key","value":"canary"}';
  const inline = await typed(["environments", "secrets", "create", place, "--body", body], as);
  expect(inline).toMatchObject({ code: 2, said: expect.stringContaining("history") });
  expect(await typed(`environments secrets create ${place} --body -`, { ...as, input: body })).toMatchObject({
    code: 0,
  });
  const ran: unknown[] = [];
  const run: CliHost["run"] = async (command, variables) => {
    ran.push(command, variables);
    return 7;
  };
  const { code, out, said } = await typed(["secrets", "run", place, "--", "deploy.sh", "--fast"], { ...as, run });
  expect([code, out, said]).toEqual([7, "", ""]);
  expect(ran).toEqual([["deploy.sh", "--fast"], { API_KEY: "canary" }]);
  expect(await typed(["secrets", "run", place, "--only", "other", "--", "x"], as)).toMatchObject({ code: 2 });
});

test("whoever has a password for once chooses their own", async () => {
  const folder = emptyFolder();
  const { id } = await server.person("grace");
  await server.liveplane.administration.setPassword(id, "only good for once", { oneTime: true });
  const answers = [
    "only good for once",
    "short",
    "short",
    "my own long password",
    "not the same",
    "my own long password",
    "my own long password",
  ];
  // Input that has ended gives nothing to choose.
  const ended = await typed("login --username grace", { folder, answers: answers.slice(0, 1) });
  expect(ended).toMatchObject({ code: 2, said: expect.stringContaining("The one-time password is still valid.") });
  const { code, said } = await typed("login --username grace", { folder, answers });
  expect([code, said]).toEqual([0, expect.any(String)]);
  expect(said).toMatch(/one-time password.*The passwords differ. Try again.*Signed in/s);
  expect(JSON.parse((await typed("accounts me --json", { folder })).out)).toMatchObject({ id });
});

test("a sign-in that needs a second factor asks for its code, or takes it from the command line", async () => {
  const folder = emptyFolder();
  await server.person("max");
  const api = await signedIn("max");
  const { secret } = await api.accounts.factors.addTotp();
  await api.accounts.factors.confirmTotp({ code: await authenticatorApp(secret).codeAt(Date.now()) });
  const { codes } = await api.accounts.factors.issueRecoveryCodes();
  const [first = "", second = ""] = codes;
  const asked = await typed("login --username max", { folder, answers: [password, "000000", first] });
  expect([asked.code, asked.said]).toEqual([0, expect.stringMatching(/The code is wrong.*Signed in/s)]);
  expect(JSON.parse((await typed("accounts me --json", { folder })).out)).toMatchObject({ username: "max" });
  const used = await typed(["login", "--username", "max", "--code", first], { folder, answers: [password] });
  expect([used.code, used.said]).toEqual([1, expect.stringContaining("The code is wrong")]);
  const given = await typed(["login", "--username", "max", "--code", second], { folder, answers: [password] });
  expect([given.code, given.said]).toEqual([0, expect.stringContaining("Signed in")]);
});

test.each([
  ["login --browser --oidc", "not both"],
  ["login --browser --fresh", "--fresh needs --oidc or --device"],
])("%s is refused before anything is asked", async (line, reason) => {
  expect(await typed(line)).toMatchObject({ code: 2, said: expect.stringContaining(reason) });
});

test("somebody with a passkey is told to use a browser, or a recovery code", async () => {
  const folder = emptyFolder();
  const { api } = await server.person("nina");
  const device = softwareAuthenticator("https://liveplane.example");
  const credential = await device.create(await api.accounts.factors.beginPasskey());
  await api.accounts.factors.addPasskey({ credential });
  const { codes } = await api.accounts.factors.issueRecoveryCodes();
  const { code, said } = await typed("login --username nina", { folder, answers: [password, codes[0] ?? ""] });
  expect([code, said]).toEqual([
    0,
    expect.stringMatching(/Passkeys work only in a browser: liveplane login --browser.*recovery codes.*Signed in/s),
  ]);
});

async function signedIn(username: string) {
  const { accessToken } = await createClient({ baseUrl: server.url }).sessions.create({ username, password });
  return createClient({ baseUrl: server.url, token: accessToken });
}

test.each([
  ["dance", 2, "There is no command dance"],
  ["webhooks list", 2, "There is no command webhooks; did you mean accounts webhooks or organizations webhooks?"],
  ["subscriptions", 2, "  subscriptions update  Changes a subscription's type and details"],
  ["organizations members list Nowhere", 2, "No organization is named Nowhere."],
  ["live-systems get nothing", 1, "NotFound: There is no live system nothing, or you may not view it."],
  ["why", 2, "Usage: liveplane why <component>"],
  ["why storage", 2, "A component is <live system>/<path>"],
  ["why nothing/storage", 1, "NotFound: There is no live system nothing, or you may not view it."],
  ["environments get Personal/bob/prod", 2, "bob isn't you. Only operators can name other accounts; use an ID."],
  ["environments get x", 2, "environments get takes <type> <owner-id> <short-name>, but got 1."],
  ["accounts me --body {}", 2, "doesn't accept --body"],
  ["deploy -f /nowhere.yaml", 2, "/nowhere.yaml can't be read (ENOENT)."],
  ["live-systems get 3f2504e0-4f89-41d3-9a0c-0305e82c3301", 1, "NotFound"],
  ["live-systems list --sort age", 2, "There is no flag --sort"],
])("%s ends with %i and a sentence", async (line, code, sentence) => {
  const folder = emptyFolder();
  await typed("login --username ada", { folder, answers: [password] });
  expect(await typed(line, { folder })).toMatchObject({ code, said: expect.stringContaining(sentence) });
});

test("a wrong address is told by where it was given, before anybody types a password", async () => {
  const asked: string[] = [];
  const to = async (line: string, address = server.url) => {
    const ask = async (question: string) => String(asked.push(question));
    const { code, said } = await typedLine(line, {
      ...{ folder: emptyFolder(), environment: { LIVEPLANE_URL: address, LIVEPLANE_TOKEN: "x" } },
      ...{ ask, askSecret: ask },
    });
    return `${code} ${said}`;
  };
  const rule = "must be an absolute address, such as http://localhost:8080.";
  expect(await to("login ada --url localhost:8080")).toBe(`2 --url ${rule}`);
  expect(await to("login ada", "localhost:8080")).toBe(`2 LIVEPLANE_URL ${rule}`);
  expect(await to("status", "http://")).toBe(`2 LIVEPLANE_URL ${rule}`);
  expect(await to(`login ada --url ${server.url}/elsewhere`)).toBe(
    `2 There is no liveplane service at ${server.url}/elsewhere. Check the address.`,
  );
  expect(await to("login ada --url http://localhost:1")).toMatch(/^1 Unavailable: .*localhost:1 could not be reached/);
  expect(asked).toEqual([]);
});

test("the session of a service is found by its address with a slash, too", async () => {
  const folder = emptyFolder();
  await typed("login ada", { folder, answers: [password] });
  expect(await typed("status", { folder, environment: { LIVEPLANE_URL: `${server.url}/` } })).toMatchObject({
    code: 0,
  });
});

test("an operator finds organizations and people by name, and everybody's plans and events in tables that say something", async () => {
  const folder = emptyFolder();
  await typed("login --username operator", { folder, answers: [operatorPassword] });
  const run = (line: string) => typed(line, { folder });
  const { id: lin } = await server.person("lin");
  const { id } = JSON.parse((await run("organizations create --name Works --json")).out);
  const grant = "organizations permissions grant Works --principal-type Account --permission-type View --principal-id";
  expect(await run(`${grant} ${lin}`)).toMatchObject({ code: 0 });
  expect((await run("organizations list")).out).toMatch(
    /^ID +NAME +SERVICE ACCOUNT +STATUS .*\n(.*\n)*.* Works +Works \(service account [\da-f]{8}\) +Active/,
  );
  expect((await run("organizations list --ids")).out).toMatch(/^ID +NAME +SERVICE ACCOUNT ID +STATUS /);
  const members = await run("organizations members list Works");
  expect(members.out).toMatch(/^PRINCIPAL ID +KIND +NAME +IS INVITED +DIRECT\n/);
  expect(members.out).toContain(`${lin}  Account  lin`);
  expect((await run("environments create Organizational/Works/live --name Live")).code).toBe(0);
  expect((await run("environments get Organizational/Works/live")).out).toContain(id);
  expect((await run("environments create Personal/me/own")).code).toBe(0);
  expect((await run("environments list")).out).toMatch(
    /^ADDRESS .*\nOrganizational\/Works\/live .*\nPersonal\/me\/own /,
  );
  expect((await run("environments list --ids")).out).toContain(`Organizational/${id}/live`);
  expect(await run("accounts suspend lin")).toMatchObject({ code: 0 });
  expect((await run("accounts list")).out).toMatch(/ lin .*Suspended/);

  expect((await run("subscriptions list")).out).toMatch(
    /^ID +SUBSCRIPTION TYPE +ACCOUNT +ACCOUNTS +ORGANIZATIONS +LIVE SYSTEMS +COMPONENTS\n(?:.*\n)* *.* Discover +lin +0 +0 +0 +0\n/,
  );
  expect((await run("events log --limit 2")).out).toMatch(/^SEQUENCE +TIME +TYPE +SUBJECT +ACTOR\n1 /);
  expect((await run("events log --limit 1")).out).toMatch(/subscription.created +Grace Hopper +/);
  // A service account isn't taken for its owner.
  const robot = "0b1e7a52-6d0c-4f43-9c55-2f2f6d3a9c11";
  const role = `environments service-accounts assign Organizational/Works/live ${robot} --service-account-role CiCd`;
  expect(await run(role)).toMatchObject({ code: 0 });
  expect((await run("events log")).out).toMatch(/ service_account.assigned +Works \(service account [\da-f]{8}\) /);
});

test.each(["login", "verify-audit", "receive", "schema", "aws policy", "completion", "status", "secrets run"])(
  "%s explains itself without a sign-in, and does nothing else",
  async (name) => {
    const { code, out, said } = await typed(`${name} --help`, { environment: {}, folder: emptyFolder() });
    expect({ code, said }).toEqual({ code: 0, said: "" });
    expect(out).toMatch(new RegExp(`^liveplane ${name}(?:.*\\n)+\\n.{20,}\\n`));
  },
);

test("what an operation takes is told without a sign-in", async () => {
  const folder = emptyFolder();
  const webhook = (await typed("accounts webhooks create --help", { folder })).out;
  expect(webhook).toContain("Creates a webhook for the caller; its address and secret are shown only once.");
  expect(webhook).toMatch(
    /--types list of environment.created\|environment.updated\|environment.deleted\|… \(\d+ in all\)/,
  );
  expect((await typed("subscriptions create --help", { folder })).out).toContain("Flags:\n  --account-id text\n");
  expect((await typed("environments provider-a initialize --help", { folder })).out).toContain(
    "\n  --credentials <file>  with providerAClientId, providerAClientSecret, providerAClientAssertion\n",
  );
  expect((await typed("events log --help", { folder })).out).toMatch(
    / {2}--until time +such as 2027-01-31T09:30:00Z\n/,
  );
  expect(await typed("environments secrets update --help", { folder })).toMatchObject({
    code: 0,
    out: expect.stringContaining(
      "liveplane environments secrets update <type> <owner-id> <short-name> <secret-short-name> [--field value …] [--body …]\n",
    ),
  });
});

test("a flag that an operation doesn't have is refused here, with the one that was meant", async () => {
  const folder = emptyFolder();
  const environment = { LIVEPLANE_URL: "http://127.0.0.1:1", LIVEPLANE_TOKEN: "never sent" };
  const refused = (line: string | readonly string[]) => typed(line, { folder, environment });
  expect(await refused("organizations create --nme Acme")).toMatchObject({
    code: 2,
    said: "There is no flag --nme; did you mean --name?",
  });
  for (const nameless of [
    "organizations create",
    "organizations create --description Works",
    ["organizations", "create", "--name", ""],
  ])
    expect(await refused(nameless)).toMatchObject({ code: 2, said: expect.stringContaining("needs a name") });
  expect((await refused("organizations create --name Acme")).said).toContain(
    "Unavailable: The server at http://127.0.0.1:1 could not be reached",
  );
  expect((await refused("events log --lmit 3")).said).toBe("There is no flag --lmit; did you mean --limit?");
  expect((await refused("accounts me --shoe-size 3")).said).toBe(
    "There is no flag --shoe-size. --help lists the flags.",
  );
});

test("a declaration file names its organization, and plan and deploy take it as a word", {
  timeout: 60_000,
}, async () => {
  const folder = emptyFolder();
  await typed("login --username operator", { folder, answers: [operatorPassword] });
  await typed("organizations create --name Fileworks", { folder });
  await typed("environments create Organizational/Fileworks/live", { folder });
  const file = join(folder, "empty.yaml");
  const place = "environmentId: { type: Organizational, ownerId: Fileworks, shortName: live }";
  writeFileSync(file, `name: empty\n${place}\ncomponents: []\n`);
  expect(await typed(`plan ${file}`, { folder })).toMatchObject({
    code: 0,
    ...{ out: "No components.\n", said: "The live system is new." },
  });
  expect(await typed(`deploy ${file} --wait`, { folder })).toMatchObject({ code: 0 });
  expect(readFileSync(file, "utf8")).toContain(place);
  writeFileSync(file, readFileSync(file, "utf8").replace(place, "environmentId: Organizational/Fileworks/live"));
  expect(await typed(`plan ${file}`, { folder })).toMatchObject({
    code: 2,
    said: expect.stringContaining("environmentId needs type, ownerId and shortName"),
  });
  writeFileSync(file, "name: empty\ncomponents: [");
  expect(await typed(`plan ${file}`, { folder })).toMatchObject({
    code: 2,
    said: `${file} isn't valid YAML: line 2, column 14: The closing ] is missing, or isn't indented.`,
  });
  writeFileSync(file, `name: empty\n${place.replace("live", "gone")}\ncomponents: []\n`);
  for (const line of [`plan ${file}`, `deploy ${file}`])
    expect(await typed(line, { folder })).toMatchObject({
      code: 1,
      said: expect.stringMatching(
        /NotFound: There is no environment Organizational\/Fileworks\/gone, or you may not view it\.\nrequest /,
      ),
    });
  expect(await typed("deploy shop", { folder })).toMatchObject({ code: 2, said: expect.stringContaining(".yaml") });
});

test("who may only view a component in a simulated cloud is told who changes its tags, and how; other tags stay", {
  timeout: 60_000,
}, async () => {
  const [betty, mary] = [await server.person("betty"), await server.person("mary")];
  const { api } = betty;
  const { id: ownerId } = await api.organizations.create({ name: "Hopper" });
  const view = { principalType: "Account", principalId: mary.id, permissionType: "View" } as const;
  await api.organizations.permissions.grant({ organizationId: ownerId }, view);
  const place = { type: "Organizational", ownerId, shortName: "yard" } as const;
  await api.environments.create(place, {});
  const credentials = { providerAClientId: crypto.randomUUID(), providerAClientSecret: "any" };
  await api.environments.providerA.initialize(place, { subscriptionId: crypto.randomUUID() }, credentials);
  await waitForInitialization(api, place, "provider-a", { intervalMs: 50 });
  const type = "Microsoft.Storage/storageAccounts@2023-05-01";
  const storage = { path: "storage", provider: "provider-a", type, parameters: { tags: { team: "yard" } } };
  await waitForMutation(
    api,
    await api.liveSystems.create({ name: "yard", environmentId: place, components: [storage] }),
  );

  const as = { folder: emptyFolder() };
  await typed("login mary", { ...as, answers: [password] });
  const { resourceId } = JSON.parse((await typed("why yard/storage --json", as)).out);
  const operatorToken = await operatorsToken();
  const tagsAfter = async (line: string) => {
    const env = { ...process.env, OPERATOR_TOKEN: operatorToken };
    expect(await promisify(execFile)("sh", ["-c", line], { env })).toEqual({ stdout: "", stderr: "" });
    return (await simulator("GET", `resources/${encodeURIComponent(resourceId)}`)).tags;
  };
  const taken = await typed("take-over yard/storage", as);
  expect(taken).toMatchObject({
    code: 1,
    said: expect.stringMatching(
      /^The cloud is simulated\. .* permission Edit on the live system\. An operator.* can run:$/,
    ),
  });
  expect(await tagsAfter(taken.out)).toEqual({ team: "yard", "platform-owner": "mary" });
  const check = async () =>
    (await api.liveSystems.components.check(await placeOf("yard/storage", as))).component.status;
  await expect.poll(check, { timeout: 20_000 }).toBe("ManualOverride");
  const back = await typed("hand-back yard/storage", as);
  expect(back).toMatchObject({ code: 1, said: expect.stringContaining("An operator, with a token") });
  // The agent soon removes the reconcile tag.
  const { platform: _, ...after } = await tagsAfter(back.out);
  expect(after).toEqual({ team: "yard", "managed-by": "platform" });
});

test("the schema of a declaration is printed for editors, and a file may name it", async () => {
  const folder = emptyFolder();
  const { code, out } = await typed("schema", { folder });
  const { $id, required } = JSON.parse(out);
  expect([code, required]).toEqual([0, ["name", "environmentId", "components"]]);
  expect(await typed("schema shop.yaml", { folder })).toMatchObject({ code: 2 });

  await typed("login --username ada", { folder, answers: [password] });
  const input = JSON.stringify({ $schema: $id, name: "shop", components: [], surplus: 1 });
  const { said } = await typed("deploy -f -", { folder, input });
  expect(said).toContain("#/surplus");
  expect(said).not.toContain("schema");
});

test("an operation goes by its whole name, though a command has its first word", async () => {
  const folder = emptyFolder();
  await typed("login --username ada", { folder, answers: [password] });
  expect(await typed("overrides list --limit 1 --json", { folder })).toMatchObject({
    code: 0,
    out: '{"items":[],"nextCursor":null}\n',
  });
  expect(await typed("overrides", { folder })).toMatchObject({ code: 0, said: "No overrides." });
});

test("a list shows people by name beside the ID that commands take, and me is the caller wherever an account is named", async () => {
  const folder = emptyFolder();
  await typed("login --username ada", { folder, answers: [password] });
  const { out } = await typed("organizations create --name Lovelace --json", { folder });
  const { id } = JSON.parse(out) as { id: string };
  const explained = await typed(`permissions explain ${id} --principal-type Account --principal-id me --json`, {
    folder,
  });
  expect(JSON.parse(explained.out)).toMatchObject({ permissions: expect.arrayContaining(["Admin"]) });
  const people = await typed(`organizations members list ${id}`, { folder });
  expect(people.out).toMatch(new RegExp(`${ownerId} +Account +ada`));
});

test("whoever is signed in signs in at the same address again, unless another is given", async () => {
  const folder = emptyFolder();
  const host = { folder, environment: {}, askSecret: async () => password };
  expect(await typedLine(`login ada --url ${server.url}`, host)).toMatchObject({ code: 0 });
  expect(await typedLine("login ada", host)).toMatchObject({ code: 0 });
  expect((await typedLine("login ada --url http://localhost:1", host)).said).toContain(
    "localhost:1 could not be reached",
  );
});

test("flags name an organization as words do, also in the address of a resource group", async () => {
  const folder = emptyFolder();
  await typed("login --username ada", { folder, answers: [password] });
  const made = JSON.parse((await typed("organizations create --name Byron --json", { folder })).out) as { id: string };
  const renamed = await typed("organizations update --organization-id Byron --name Noel --json", { folder });
  expect(JSON.parse(renamed.out)).toMatchObject({ id: made.id, name: "Noel" });
  await typed("organizations resource-groups upsert Noel edge", { folder });
  const resourceGroups = "--resource-groups Organizational/Noel/edge";
  const { out } = await typed(`environments create Organizational Noel web ${resourceGroups} --json`, { folder });
  expect(JSON.parse(out)).toMatchObject({ resourceGroups: [`Organizational/${made.id}/edge`] });
});

test("twenty that are typed at once spend one refresh token between them", async () => {
  const folder = emptyFolder();
  await typed("login --username ada", { folder, answers: [password] });
  const file = join(folder, "session.json");
  const session = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...session, until: 0 }));
  const all = await Promise.all(Array.from({ length: 20 }, () => typed("accounts me --json", { folder })));
  expect(all.map(({ code }) => code)).toEqual(Array(20).fill(0));
  expect(JSON.parse(readFileSync(file, "utf8")).refreshToken).not.toBe(session.refreshToken);
  expect(await typed("accounts me --json", { folder })).toMatchObject({ code: 0 });
});

test("the program itself: a password by standard input, a refusal's exit code, and no secret anywhere", async () => {
  const folder = emptyFolder();
  const bin = fileURLToPath(new URL("../../client/src/cli/bin.ts", import.meta.url));
  const program = (args: readonly string[], input: string) =>
    new Promise<{ code: number | null; text: string }>((resolve) => {
      const env = { ...bareEnvironment, XDG_CONFIG_HOME: folder };
      const child = spawn(process.execPath, ["--conditions=@liveplane/source", bin, ...args], { env });
      let text = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => {
          text += chunk;
        });
      child.on("exit", (code) => resolve({ code, text }));
      child.stdin.end(input);
    });
  const wrong = await program(["login", "--url", server.url], "ada\nwrong canary\n");
  expect(wrong).toMatchObject({ code: 1, text: expect.stringContaining("InvalidCredentials") });
  expect(wrong.text).not.toContain("canary");
  expect(await program(["login", "--url", server.url], `ada\n${password}\n`)).toMatchObject({ code: 0 });
  const me = await program(["accounts", "me", "--json"], "");
  expect([me.code, JSON.parse(me.text)]).toEqual([0, expect.objectContaining({ id: ownerId })]);
});
