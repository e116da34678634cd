import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";

const bin = fileURLToPath(new URL("../../src/cli/bin.ts", import.meta.url));

interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

function emptyHome(): string {
  const folder = mkdtempSync(join(tmpdir(), "liveplane-home-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the real program against a service that answers each path as given. */
async function runProgram(
  args: readonly string[],
  answers: Readonly<Record<string, Answer | Answer["body"]>>,
  home: { readonly folder?: string; readonly port?: number; readonly token?: string } = {},
) {
  const asked: string[] = [];
  const received: { readonly path: string; readonly key?: string; readonly body?: unknown }[] = [];
  const server = createServer(async (request, response) => {
    asked.push(request.url ?? "");
    const path = (request.url ?? "").split("?")[0] ?? "";
    const sent = Buffer.concat(await request.toArray()).toString();
    const key = request.headers["idempotency-key"];
    received.push({ path, ...(sent !== "" && { key: String(key), body: JSON.parse(sent) }) });
    const { status = 200, body } = Object(answers[path] ?? { status: 404, body: {} }) as Answer;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(home.port ?? 0, "127.0.0.1");
  const folder = home.folder ?? emptyHome();
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {
    PATH: process.env.PATH,
    XDG_CONFIG_HOME: folder,
    LIVEPLANE_URL: url,
    LIVEPLANE_TOKEN: home.token ?? "token",
  };
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", bin, ...args], { env });
  let [out, said] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  const [code] = await once(child, "close");
  server.close();
  await once(server, "close");
  return { code, out, said, received, asked, port: Number(new URL(url).port) };
}

test("secrets run sets secrets as variables, but none that runs a program, unless it is allowed", {
  timeout: 30_000,
}, async () => {
  const place = "/environments/Personal/00000000-0000-4000-8000-00000000000a/b/secrets";
  const names = ["api-key", "node-options", "path", "bash-env", "ld-preload", "pythonstartup"];
  const secrets = {
    [place]: { body: { items: names.map((shortName) => ({ shortName })), nextCursor: null } },
    ...Object.fromEntries(names.map((name) => [`${place}/${name}/reveal`, { body: { value: `canary of ${name}` } }])),
  };
  const printed = "JSON.stringify(Object.entries(process.env).filter(([, value]) => value.startsWith('canary')))";
  const program = ["--", process.execPath, "-p", printed];
  const run = async (...flags: string[]) =>
    runProgram(["secrets", "run", "Personal/00000000-0000-4000-8000-00000000000a/b", ...flags, ...program], secrets);

  expect(await run()).toMatchObject({
    code: 0,
    out: '[["API_KEY","canary of api-key"]]\n',
    said: "Left out because they change how programs run: NODE_OPTIONS, PATH, BASH_ENV, LD_PRELOAD, PYTHONSTARTUP. To set one, name it: --allow NODE_OPTIONS\n",
  });
  const { out, said } = await run("--allow", "pythonstartup,BASH_ENV");
  expect(JSON.parse(out).map(([name]: [string]) => name)).toEqual(["API_KEY", "BASH_ENV", "PYTHONSTARTUP"]);
  expect(said).toContain(": NODE_OPTIONS, PATH, LD_PRELOAD. ");
  expect(await run("--only", "api-key")).toMatchObject({ code: 0, said: "" });
});

const hostile = "\u001b]0;title\u0007\u009b2J\u202etxt\u2066\u2028\u007f\r\nSigned in";
const visibly = "\\u001b]0;title\\u0007\\u009b2J\\u202etxt\\u2066\\u2028\\u007f\\u000d\\u000aSigned in";
const system = { id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", name: hostile, status: hostile };
const component = {
  ...{ id: hostile, status: hostile, provider: hostile, type: hostile, resourceId: `/${hostile}`, leaving: false },
  ...{
    override: null,
    working: { since: hostile },
    conditions: { [hostile]: { reason: hostile, message: hostile, observedAt: null } },
  },
};
const answers = {
  "/accounts/me": { body: { id: hostile } },
  "/livesystems": { body: { items: [system], nextCursor: null } },
  "/livesystems/health": { body: { items: [{ ...system, counts: { [hostile]: 1 } }], nextCursor: null } },
  [`/livesystems/${system.id}/components/${system.id}%2Fstorage`]: { body: component },
  "/overrides": { body: { items: [], nextCursor: null } },
  "/environments/Personal/00000000-0000-4000-8000-00000000000a/b": {
    status: 403,
    body: {
      ...{ code: "PermissionDenied", detail: hostile, requestId: hostile },
      errors: [{ pointer: hostile, detail: hostile }],
    },
  },
};
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test.each([
  ["accounts me", "out"],
  ["live-systems list", "out"],
  ["status", "out"],
  ["why ID/storage", "out"],
  ["take-over ID/storage", "said"],
  ["why \u009b2J/storage", "said"],
  ["environments get Personal/00000000-0000-4000-8000-00000000000a/b", "said"],
  ["environments get Personal/00000000-0000-4000-8000-00000000000a/b --json", "said"],
] as const)("%s prints no control character of a service's", { timeout: 30_000 }, async (line, where) => {
  const told = await runProgram(line.replace("ID", system.id).split(" "), answers);
  expect(`${told.out}${told.said}`).not.toMatch(unseen);
  expect(`${told.out}${told.said}`).not.toMatch(/^Signed in/m);
  expect(told[where]).toContain("\\u009b");
});

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const fine = { value: true, reason: "InSync", message: "", changedAt: ago(90) };
const web = {
  ...{ id: `${system.id}/web`, status: "Active", health: "Failing", leaving: false, resourceId: null },
  conditions: { readable: fine, exists: fine, inSync: { ...fine, value: false, reason: "Drift" } },
  outputFields: {},
  failing: { code: "ProviderError", detail: "Refused.", since: ago(125), attempts: 36 },
  ...{ override: null, working: null, nextTryAt: null, lookedAt: ago(2) },
};
const shopWith = (...components: readonly object[]) => ({
  "/livesystems": { body: { items: [{ id: system.id, name: "shop" }], nextCursor: null } },
  [`/livesystems/${system.id}/components`]: { body: { items: components, nextCursor: null } },
  "/names": { body: { items: [{ id: system.id, kind: "LiveSystem", name: "shop" }] } },
});

test("why tells times as people do, and the next try if there is one", async () => {
  const told = async (more: object) => {
    const at = `/livesystems/${system.id}/components/${system.id}%2Fweb`;
    return (await runProgram(["why", "shop/web"], { ...shopWith(), [at]: { body: { ...web, ...more } } })).out;
  };
  const working = await told({ working: { since: ago(5), progress: null }, nextTryAt: null });
  expect(working).toContain("\n  failed writes: 36 in 2 h: Refused.\n");
  expect(working).toContain("\n  working for 5 min\n");
  expect(working).not.toContain("next try");
  expect(await told({ nextTryAt: ago(3) })).toContain("\n  next try: due now\n");
  expect(await told({ nextTryAt: ago(-125) })).toMatch(/\n {2}next try: in 2 h\n/);
  expect(await told({ override: null })).not.toMatch(/\d{4}-\d\d-\d\dT/);
});

test("why repeats no sentence, shows no resource that doesn't exist, and says what to do about what is stuck", async () => {
  const message = "db#nope, which /parameters/of refers to, does not exist.";
  const missing = { ...fine, value: false, reason: "NotProvisioned", message };
  const conditions = { readable: fine, exists: missing, inSync: { ...missing, reason: "ReferenceNotFound" } };
  const stuck = { ...web, health: "Uncorrectable", failing: null, resourceId: "/subscriptions/s/web", conditions };
  const at = `/livesystems/${system.id}/components/${system.id}%2Fweb`;
  const { out } = await runProgram(["why", "shop/web"], { ...shopWith(), [at]: { body: stuck } });
  expect(out.split(message)).toHaveLength(2);
  expect(out).not.toContain("resource:");
  expect(out).toContain("\n  what to do: Correct the reference in the declaration");
});

test("a plan of a component that can't be handed back says nothing of setting back", async () => {
  const unwritable = { reason: "Immutable", message: "/location can't change." };
  const change = {
    parameter: "location",
    pointer: "/location",
    declared: "a",
    actual: "b",
    cause: "cloud",
    unwritable,
  };
  const plan = {
    possible: false,
    reason: "It can't be put back.",
    changes: [change],
    unobservable: [],
    dependents: [],
  };
  const at = `/livesystems/${system.id}/components/${system.id}%2Fweb/adoption-plan`;
  const { out, said } = await runProgram(["plan", "shop/web"], { ...shopWith(), [at]: { body: plan } });
  expect(said).toBe("A hand-back isn't possible: It can't be put back.\n");
  expect(out).toMatch(
    /^PARAMETER +IN THE CLOUD +DECLARED +CAN'T BE PUT BACK +CHANGED BY\n.location +b +a +.location can't change/,
  );
});

test("drift also names what isn't as declared for another reason, without another exit code", async () => {
  const differing = { outputFields: { drift: { size: { declared: 1, actual: 2 } } }, health: "Differs", failing: null };
  const inSync = { ...web, id: `${system.id}/db`, conditions: { ...web.conditions, inSync: fine }, health: "InSync" };
  const muted = { ...web, conditions: { ...web.conditions, inSync: { ...fine, value: false, reason: "Muted" } } };
  const cache = { ...web, id: `${system.id}/cache`, health: "Blocked" };
  expect(await runProgram(["drift"], shopWith(inSync, muted))).toMatchObject({ code: 0, said: "No drift.\n" });
  const others = "Not as declared for other reasons: shop/web (Failing), shop/cache (Blocked).";
  const more = "liveplane why shop/web says more.";
  expect(await runProgram(["drift", "shop"], shopWith(web, inSync, cache))).toMatchObject({
    ...{ code: 0, out: "", said: `No drift.\n${others} ${more}\n` },
  });
  const both = await runProgram(["drift", "--json"], shopWith({ ...inSync, ...differing }, web));
  expect(both).toMatchObject({ code: 3, said: `Not as declared for other reasons: shop/web (Failing). ${more}\n` });
  expect(JSON.parse(both.out).id).toBe(inSync.id);
  const many = Array.from({ length: 12 }, (_, at) => ({ ...web, id: `${system.id}/w${at}` }));
  expect((await runProgram(["drift"], shopWith(...many))).said).toMatch(/ shop\/w9 \(Failing\), and 2 more\. /);
});

test("a list of mutations shows what each failed with, and where", async () => {
  const [ok, failed] = [null, { code: "QuotaExceeded", detail: "No more.", componentId: web.id }];
  const items = [ok, failed, { ...failed, componentId: null }].map((error, at) => ({ id: `m${at}`, error }));
  const list = { [`/livesystems/${system.id}/mutations`]: { body: { items, nextCursor: null } } };
  const { out } = await runProgram(["live-systems", "mutations", "list", "shop"], { ...shopWith(), ...list });
  expect(out).toBe("ID  ERROR\nm0  –\nm1  web: QuotaExceeded\nm2  QuotaExceeded\n");
});

test("what is wrong with a declaration is told by the component's path and the line of the file", async () => {
  const file = join(emptyHome(), "shop.yaml");
  const components = "  - path: db\n  # The page.\n  - path: web\n    parameters:\n      a/b: { $output: plann#id }\n";
  writeFileSync(
    file,
    `name: shop\nenvironmentId: { type: Personal, ownerId: ${system.id}, shortName: b }\nsurplus: 1\ncomponents:\n${components}`,
  );
  const refusal = (code: string, detail: string, ...errors: readonly object[]) => ({
    "/livesystems/plan": { status: 400, body: { code, detail, errors } },
  });
  const plan = (answers: Readonly<Record<string, Answer>>, ...flags: string[]) =>
    runProgram(["plan", file, ...flags], answers);
  const detail = 'No component has the path "plann".';
  const wrong = { pointer: "#/components/1/parameters/a~1b", code: "InvalidDeclaration", detail };
  const refused = refusal("InvalidDeclaration", detail, wrong);
  expect((await plan(refused)).said).toBe(`InvalidDeclaration: web: parameters/a~1b (line 9): ${detail}\n`);
  expect(JSON.parse((await plan(refused, "--json")).said).errors).toMatchObject([wrong]);
  const surplus = { pointer: "#/surplus", code: "Unknown", detail: "isn't known" };
  const missing = { pointer: "#/components/0/type", code: "Required", detail: "is required" };
  expect((await plan(refusal("ValidationFailed", "#/components/0/type: is required", missing))).said).toBe(
    "ValidationFailed: db: type (line 5): is required\n",
  );
  const summary = "#/surplus: isn't known (and 1 more)";
  expect((await plan(refusal("ValidationFailed", summary, surplus, missing))).said).toBe(
    "ValidationFailed: #/surplus (line 3): isn't known (and 1 more)\n  db: type (line 5): is required\n",
  );
  expect((await plan(refusal("ValidationFailed", "2 are wrong.", surplus, missing))).said).toBe(
    "ValidationFailed: 2 are wrong.\n  #/surplus (line 3): isn't known\n  db: type (line 5): is required\n",
  );
});

test("no overrides are said of an environment that exists alone", { timeout: 30_000 }, async () => {
  const word = "Personal/00000000-0000-4000-8000-00000000000a/b";
  const { "/overrides": none } = answers;
  const asked = ["overrides", "--environment", word];
  expect(await runProgram(asked, { "/overrides": none, [`/environments/${word}`]: { body: {} } })).toMatchObject({
    ...{ code: 0, said: expect.stringContaining("No overrides.") },
  });
  const body = { code: "NotFound", requestId: "r" };
  expect(
    await runProgram(asked, { "/overrides": none, [`/environments/${word}`]: { status: 404, body } }),
  ).toMatchObject({
    ...{ code: 1, said: expect.stringContaining(`There is no environment ${word}, or you may not view it.`) },
  });
});

test("JSON for machines has the service's values, and nothing that a terminal obeys", { timeout: 30_000 }, async () => {
  const { out } = await runProgram(["live-systems", "list", "--json"], answers);
  expect(out).not.toMatch(unseen);
  expect(JSON.parse(out)).toEqual(system);
  expect((await runProgram(["accounts", "me"], answers)).out).toContain(visibly.replace("\\u000d\\u000a", "\\r\\n"));
});

const place = "/environments/Personal/00000000-0000-4000-8000-00000000000a/b/resources";
const existing = (name: string, more: object) => ({
  ...{ id: `/g/${name}`, type: "T/t", name, location: null, tags: {}, managedBy: null, declarable: true },
  ...more,
});
const resources = {
  [place]: {
    body: {
      items: [
        existing("free", {}),
        existing("theirs", { managedBy: { kind: "tool", name: hostile } }),
        existing("strange", { declarable: false }),
      ],
      nextCursor: null,
    },
  },
  [`${place}/declare`]: {
    body: {
      definition: {
        name: "Existing resources",
        environmentId: { type: "Personal", ownerId: "a", shortName: "b" },
        adopt: "exact",
        components: [
          { path: "free", provider: "p", type: "T/t", resourceId: "/g/free", parameters: { a: { $output: "net#id" } } },
          { path: "net", provider: "p", type: "T/n", resourceId: "/g/net", parameters: {}, overrideWith: "free" },
        ],
      },
      secrets: [{ shortName: "free-key", resourceId: "/g/free", pointer: "/parameters/key" }],
      warnings: [{ resourceId: "/g/theirs", detail: hostile }],
    },
  },
};
const from = ["--environment", "Personal/00000000-0000-4000-8000-00000000000a/b", "--provider", "p"];

test("discover shows what exists, and declare prints a declaration of what nobody manages", {
  timeout: 30_000,
}, async () => {
  const found = await runProgram(["discover", ...from], resources);
  expect(found.said).toBe("3 resources: 1 can be declared, 1 managed by something else, 1 of unknown types.\n");
  expect(found.out).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  const declared = await runProgram(["declare", ...from, "--name", "shop"], resources);
  expect(declared.code).toBe(0);
  expect(declared.out.split("\n").slice(0, 3)).toEqual([
    expect.stringMatching(/^# yaml-language-server: \$schema=/),
    "name: shop",
    "environmentId:",
  ]);
  expect(declared.said).toContain(
    "Store the secret free-key in the environment: the value at /parameters/key of /g/free.",
  );
  expect(declared.said).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
});

test("what a cloud's names and tags hold comes back from a printed declaration unchanged", {
  timeout: 30_000,
}, async () => {
  const values = [
    hostile,
    "txt\u202etxt",
    "a\nb\u202e",
    "\u{e0001}x",
    "a: b\n- c",
    "# {",
    "\u200b",
    "x\u0085y",
    "- *a",
    "!!js x",
    "yes",
    "0x1",
  ];
  const tags = Object.fromEntries(values.map((value) => [value, value]));
  const declare = Object(resources[`${place}/declare`]) as { readonly body: { readonly definition: object } };
  const components = [{ path: "free", type: "T/t", resourceId: "/g/free", parameters: { tags } }];
  const definition = { ...declare.body.definition, components };
  const answers = { ...resources, [`${place}/declare`]: { body: { ...declare.body, definition } } };
  const { out } = await runProgram(["declare", ...from], answers);
  expect(out).not.toMatch(unseen);
  expect(parse(out)).toEqual({ ...definition, name: "Existing resources" });
  const json = (await runProgram(["declare", ...from, "--json"], answers)).out;
  expect(json).toMatch(/^\{"\$schema":"https:\/\/[^"]+\/declaration\.schema\.json","name":/);
  expect(JSON.parse(json)).toEqual({ $schema: expect.anything(), ...parse(out) });
});

test("declare takes the environment, cloud and scope of the last discover, and says so", {
  timeout: 30_000,
}, async () => {
  const environment = place.replace("/resources", "");
  const initialized = (...names: string[]) => ({
    ...resources,
    [environment]: {
      body: { initializations: Object.fromEntries(names.map((name) => [name, { status: "Completed" }])) },
    },
  });
  const folder = emptyHome();
  const own = from.slice(0, 2);
  const first = await runProgram(["declare"], resources, { folder });
  expect(first).toMatchObject({ code: 2, said: expect.stringContaining("Name the environment with --environment") });
  const unnamed = await runProgram(["discover", ...own], initialized("p", "q"), { folder });
  expect(unnamed).toMatchObject({ code: 2, said: expect.stringContaining("Name one with --provider: p or q.") });
  const known = await runProgram(["discover", ...own], initialized("provider-a", "provider-b"), { folder });
  expect(known.said).toContain("--provider: Azure (provider-a) or Google Cloud (provider-b).");

  const { port, ...found } = await runProgram(["discover", ...own, "--scope", "rg-shop"], initialized("p"), { folder });
  expect(found.said).toMatch(/^3 resources in rg-shop: 1 can be declared/);
  const home = { folder, port };
  const declared = await runProgram(["declare", "--name", "shop"], initialized("p"), home);
  expect(declared.said.split("\n").slice(0, 2)).toEqual([
    `As in the last discover: ${own[1]}, p, rg-shop.`,
    "3 resources in rg-shop: 1 can be declared, 1 managed by something else, 1 of unknown types.",
  ]);
  expect(declared).toMatchObject({ code: 0, out: expect.stringContaining("\nname: shop\n") });
  expect(declared.asked).toContain(`${place}?provider=p&limit=200&scope=rg-shop`);
  const elsewhere = await runProgram(["declare", "--scope", "rg-web", "--nested"], initialized("p"), home);
  expect(elsewhere.asked).toContain(`${place}?provider=p&limit=200&scope=rg-web&nested=true`);
  // Another service knows nothing of it.
  expect(await runProgram(["declare"], resources, { folder })).toMatchObject({ code: 2 });
});

test("declare takes IDs and names from a Terraform state", { timeout: 30_000 }, async () => {
  const resource = (address: string, id: string) => ({ address, mode: "managed", type: "azurerm_x", values: { id } });
  const state = {
    values: {
      root_module: {
        resources: [resource("azurerm_web.shop[0]", "/g/free")],
        child_modules: [{ resources: [resource("module.net.azurerm_net.main", "/g/net")] }],
      },
    },
  };
  const folder = mkdtempSync(join(tmpdir(), "liveplane-state-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "state.json");
  writeFileSync(file, JSON.stringify(state));
  const { out } = await runProgram(["declare", ...from, "--json", "--from-terraform", file], resources);
  const [free, net] = JSON.parse(out).components;
  expect(free).toMatchObject({ path: "azurerm-web/shop-0", parameters: { a: { $output: "net/azurerm-net/main#id" } } });
  expect(net).toMatchObject({ path: "net/azurerm-net/main", overrideWith: "azurerm-web/shop-0" });
});

test("the bare command fits in twenty lines, and names each command and area", async () => {
  const { code, out } = await runProgram([], {});
  expect(code).toBe(0);
  expect(out.split("\n").length).toBeLessThanOrEqual(20);
  for (const name of ["login", "take-over", "hand-back", "deploy", "secrets run", "organizations", "live-systems"])
    expect(out).toContain(name);
  expect((await runProgram(["--version"], {})).out).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
});

const acme = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

test("help of an operation lists its fields with their types, and an example", async () => {
  const { out } = await runProgram(["environments", "service-accounts", "assign", "--help"], {});
  expect(out).toMatch(/^liveplane environments service-accounts assign <type> .*\n\nAssigns .*\. POST \/environments/);
  expect(out).toMatch(/--service-account-role CloudAgent\|CiCd\|Custom\|BasicAuthKeyVaultOnly\|Bot\n/);
  expect(out).toMatch(/Example: --body '\{.*\}'\n$/);
  const secret = await runProgram(["environments", "secrets", "create", "--help"], {});
  expect(secret.out).toMatch(/--value text +a secret: only in --body @file or --body -\n/);
  // The shell would keep a secret that is on the line, so the example isn't.
  expect(secret.out).toMatch(
    /Example: --body @body\.json, or --body - for standard input\. It contains:\n {2}\{.*\}\n$/,
  );
});

test.each([
  ["organizations craete", "organizations has no operation craete; did you mean create?"],
  ["environments secrets lst", "environments secrets has no operation lst; did you mean list?"],
  ["environments secrtes list", "environments has no operation secrtes; did you mean secrets?"],
  ["organizations xyzzyxy", "organizations has no operation xyzzyxy. liveplane organizations --help lists them."],
  ["organizations craete --name Acme", "organizations has no operation craete; did you mean create?"],
  ["aws plicy", "aws has no operation plicy; did you mean policy?"],
  ["depoly -f shop.yaml", "There is no command depoly; did you mean deploy?"],
  ["organisations list", "There is no command organisations; did you mean organizations?"],
  ["xyzzyxy", "There is no command xyzzyxy. Run liveplane help for a list."],
  ["teams list", "There is no command teams; did you mean organizations teams?"],
  ["--hlep", "There is no flag --hlep; did you mean --help?"],
  ["organizations --hlep", "There is no flag --hlep; did you mean --help?"],
  ["organizations list --hlep", "There is no flag --hlep; did you mean --help?"],
  [
    "deploy --hlep",
    "There is no flag --hlep; did you mean --help? Known flags: --json, --ids, --help, --file, --wait.",
  ],
  ["login --hlep", "There is no flag --hlep; did you mean --help? Known flags: "],
  ["organizations list craete", "organizations list doesn't take craete. It takes flags only; see --help."],
  [
    `organizations get ${acme} craete now`,
    "organizations get doesn't take craete now. It takes <organization-id>; see --help.",
  ],
  ["organizations get", "organizations get takes <organization-id>, but got 0."],
  ["accounts change-password hunter2", "accounts change-password takes flags only, but got 1."],
  ["accounts me --body {}", "This operation doesn't accept --body."],
  ["overrides now", "overrides doesn't take now. Usage: liveplane overrides [--environment Type/owner/name]"],
  ["completion bash zsh", "completion needs one of bash, zsh, fish."],
  ["completion bash --hlep", "There is no flag --hlep; did you mean --help?"],
  ["organizations list -help", "There is no flag -help. Flags begin with --, such as --json."],
  ["organizations list --limit", "--limit needs a value."],
  [
    "environments provider-a initialize Personal me x --provider-a-client-secret y",
    "--provider-a-client-secret is a credential, and the shell would keep it in its history. Use --credentials <file>.",
  ],
])("%s is refused with what was probably meant, before a sign-in is missed", async (line, refusal) => {
  const { code, out, said, asked } = await runProgram(line.split(" "), {}, { token: "" });
  expect([code, out, asked]).toEqual([2, "", []]);
  expect(said).toContain(refusal);
});

test("help is laid out in two columns that fit a terminal, and help <command> is that of the command", async () => {
  const { out } = await runProgram(["help"], {});
  const lines = out.split("\n");
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  const names = lines.slice(
    0,
    lines.findIndex((line) => line.startsWith("A component is")),
  );
  for (const line of names.slice(2).filter((one) => one.length > 38)) expect(line.slice(36, 38)).toBe("  ");
  const { out: one } = await runProgram(["help", "declare"], {});
  expect(one).toMatch(/^liveplane declare /);
  expect(one).toBe((await runProgram(["declare", "--help"], {})).out);
});

test("flags make a body, by the types of its fields", async () => {
  const body = { bodies: true };
  const create = await runProgram(
    ["organizations", "create", "--name", "Acme", "--tags", "a", "--tags", "b", "--idempotency-key", "k", "--json"],
    { "/organizations": { status: 201, body } },
  );
  expect(create).toMatchObject({ code: 0, out: '{"bodies":true}\n' });
  expect(create.received).toEqual([{ path: "/organizations", key: "k", body: { name: "Acme", tags: ["a", "b"] } }]);
  const team = await runProgram(
    ["organizations", "teams", "upsert", acme, "--short-name", "a", "--is-private", "true"],
    {
      [`/organizations/${acme}/teams`]: { body },
    },
  );
  expect(team.received).toMatchObject([{ body: { shortName: "a", isPrivate: true } }]);
  const wrong = await runProgram(["organizations", "teams", "upsert", acme, "--is-private", "maybe"], {});
  expect(wrong).toMatchObject({ code: 2, said: "--is-private needs a value of true|false.\n" });
  const secret = await runProgram(
    ["environments", "secrets", "create", "Personal/00000000-0000-4000-8000-00000000000a/b", "--value", "canary"],
    {},
  );
  expect(secret).toMatchObject({ code: 2, said: expect.stringContaining("--value is a secret"), received: [] });
});

test("me is the owner of one's own environments, and lists begin with the address", async () => {
  const environment = { name: "Shop", id: { type: "Personal", ownerId: "u", shortName: "dev" }, status: "Active" };
  const { received, out } = await runProgram(["environments", "get", "Personal/me/dev", "--json"], {
    "/accounts/me": { body: { id: "u" } },
    "/environments/Personal/u/dev": { body: environment },
  });
  expect(out).toBe(`${JSON.stringify(environment)}\n`);
  expect(received.map(({ path }) => path)).toEqual(["/accounts/me", "/environments/Personal/u/dev"]);
  const list = await runProgram(["environments", "list"], {
    "/environments": { body: { items: [environment], nextCursor: null } },
  });
  expect(list.out).toMatch(/^ADDRESS +NAME +STATUS\nPersonal\/u\/dev +Shop +Active\n$/);
});

test("only what the service has is offered: link needs a provider, and so does signing in there again", async () => {
  const refused = {
    status: 403,
    body: { code: "SignInNotFresh", detail: "You must have signed in within the last ten minutes. Sign in again." },
  };
  const service = (openId: boolean) => ({ "/accounts/me": refused, "/auth/methods": { body: { openId } } });
  const again =
    "SignInNotFresh: You must have signed in within the last ten minutes. Sign in again.\nTo sign in again: ";
  expect(await runProgram(["accounts", "me"], service(false))).toMatchObject({
    code: 1,
    said: `${again}liveplane login\n`,
  });
  expect((await runProgram(["accounts", "me"], service(true))).said).toBe(
    `${again}liveplane login, or at the OpenID provider: liveplane login --oidc --fresh\n`,
  );
  const linked = await runProgram(["link"], service(false));
  expect(linked).toMatchObject({ code: 2, asked: ["/auth/methods"] });
  expect(linked.said).toMatch(/^This service has no OpenID provider\. There is nothing to link\. .*sign-in\.md\n$/);
});

test.each([
  [
    "environments secrets delete",
    [`Personal/${acme}/demo`, "db"],
    `Deleted the secret db of the environment Personal/${acme}/demo.`,
  ],
  ["organizations teams delete", [acme, "bakers"], `Deleted the team bakers of the organization ${acme}.`],
  ["live-systems delete", [acme], `The deletion of the live system ${acme} has begun.`],
  ["accounts revoke-service-account-secret", ["s1"], "Revoked the secret s1."],
] as const)("%s says in a line what is gone; --json prints the record", async (name, words, line) => {
  const record = { id: "r", status: "Deleted" };
  const answers = new Proxy({}, { get: () => ({ body: record }) });
  const args = [...name.split(" "), ...words];
  expect((await runProgram(args, answers)).out).toBe(`${line}\n`);
  expect(JSON.parse((await runProgram([...args, "--json"], answers)).out)).toEqual(record);
});

test("--json makes errors JSON too", async () => {
  const refused = { status: 404, body: { code: "NotFound", detail: "Not found", requestId: "r" } };
  const { code, said } = await runProgram(["organizations", "get", acme, "--json"], {
    [`/organizations/${acme}`]: refused,
  });
  expect([code, JSON.parse(said)]).toEqual([1, { code: "NotFound", message: "Not found", requestId: "r" }]);
  const misused = await runProgram(["organizations", "--json"], {});
  expect([misused.code, JSON.parse(misused.said)]).toMatchObject([2, { code: "Usage" }]);
});

test("ends without a word if nobody reads its output any more", async () => {
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", bin, "help"], {
    env: { PATH: process.env.PATH },
  });
  child.stdout.destroy();
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  const [code] = await once(child, "close");
  expect([code, said]).toEqual([0, ""]);
});
