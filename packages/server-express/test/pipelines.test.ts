import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createClient, waitForInitialization } from "@liveplane/client";
import { isLiveplaneError } from "@liveplane/core/errors";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { readConfig } from "../src/configuration/config.ts";
import { type EndableServer, type Person, request, startServer } from "./running-server.ts";
import { typedLine } from "./typed-line.ts";

const audience = "https://liveplane.example";
const main = "repo:acme/shop:ref:refs/heads/main";
const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const idToken = "urn:ietf:params:oauth:token-type:id_token";

/** A CI on loopback: an issuer with keys of its own, and a runner that gives its pipelines their tokens. */
async function startCi() {
  const signers = new Map<string, CryptoKey>();
  const keys: JWK[] = [];
  for (const alg of ["RS256", "ES256", "EdDSA"]) {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    signers.set(alg, privateKey);
    keys.push({ ...(await exportJWK(publicKey)), kid: alg, alg, use: "sig" });
  }
  const state = { subject: main, given: 0, isDown: false };
  const token = (claims: object = {}, alg = "RS256", key = signers.get(alg) as CryptoKey) => {
    const iat = Math.floor(Date.now() / 1000);
    const usual = { iss: issuer, aud: audience, sub: state.subject, jti: crypto.randomUUID(), iat, exp: iat + 300 };
    const header = { alg, kid: alg, typ: "JWT" };
    return new SignJWT({ ...usual, ...claims }).setProtectedHeader(header).sign(key);
  };
  const server = createServer(async ({ url = "", headers }, response) => {
    const { pathname, searchParams } = new URL(url, "http://ci");
    const answer = (body: object) => response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    if (state.isDown) return void response.writeHead(500).end();
    if (pathname === "/.well-known/openid-configuration") return void answer({ issuer, jwks_uri: `${issuer}/keys` });
    if (pathname === "/keys") return void answer({ keys });
    if (pathname !== "/runner" || headers.authorization !== "Bearer of-this-job")
      return void response.writeHead(403).end();
    state.given += 1;
    answer({ value: await token({ aud: searchParams.get("audience") }) });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { issuer, state, token, end: () => new Promise((resolve) => server.close(resolve)) };
}

let ci: Awaited<ReturnType<typeof startCi>>;
let elsewhere: typeof ci;
let server: EndableServer;
let ada: Person;
const clientId = "6f1f7a3e-9d5b-4c62-8d6f-3a1b2c3d4e5f";
const at = () => ({ type: "Personal", ownerId: ada.id, shortName: "production" }) as const;
const role = () => ({ ...at(), principalId: clientId });

beforeAll(async () => {
  [ci, elsewhere] = await Promise.all([startCi(), startCi()]);
  const issuers = [{ issuer: ci.issuer, audience }];
  server = await startServer({ LIVEPLANE_PIPELINE_ISSUERS: JSON.stringify(issuers) });
  ada = await server.person("ada");
  await ada.api.environments.create(at(), {});
  await ada.api.environments.serviceAccounts.assign(role(), { serviceAccountRole: "CiCd" });
  await ada.api.environments.serviceAccounts.federatedIdentities.create(role(), { issuer: ci.issuer, subject: main });
});
afterAll(() => Promise.all([server.end(), ci.end(), elsewhere.end()]));

function exchanged(subject_token: string, more: object = {}) {
  const form = { grant_type: exchange, client_id: clientId, subject_token, subject_token_type: idToken, ...more };
  return createClient({ baseUrl: server.url }).tokens.create(form as never);
}

async function refusal(call: Promise<unknown>) {
  const error = await call.catch((thrown: unknown) => thrown);
  if (!isLiveplaneError(error)) throw new TypeError("It was no refusal.", { cause: error });
  const { code, status, message, details } = error;
  return { code, status, message, error: details.error };
}

const wrong = { code: "InvalidCredentials", status: 400, error: "invalid_request" };

test("a pipeline's token is exchanged for one of its service account, in the words of RFC 8693", async () => {
  const body = new URLSearchParams({
    ...{ grant_type: exchange, client_id: clientId.toUpperCase(), scope: "environments" },
    ...{ subject_token: await ci.token(), subject_token_type: idToken },
  });
  const { status, json } = await request(`${server.url}/auth/token`, { method: "POST", body });
  expect({ status, json }).toEqual({
    status: 200,
    json: {
      access_token: expect.any(String),
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: 600,
      scope: "environments",
    },
  });
  const pipeline = createClient({ baseUrl: server.url, token: json.access_token });
  await pipeline.environments.update(at(), { name: "Production" });
  expect(await refusal(pipeline.environments.delete(at()))).toMatchObject({ code: "PermissionDenied" });
  expect(await refusal(pipeline.accounts.me())).toMatchObject({ code: "InsufficientScope" });
  const { items } = await ada.api.environments.serviceAccounts.federatedIdentities.list(role());
  expect(items).toEqual([
    {
      ...{ id: expect.any(String), issuer: ci.issuer, subject: main, createdBy: ada.id },
      ...{ createdAt: expect.any(String), lastUsedAt: expect.any(String) },
    },
  ]);
});

test("what is wrong with a token is told, and nothing is begun", async () => {
  const seconds = Math.floor(Date.now() / 1000);
  const { privateKey } = await generateKeyPair("RS256");
  for (const [token, message] of [
    ["not a token", "this server doesn't trust its issuer"],
    [await elsewhere.token(), "this server doesn't trust its issuer"],
    [await ci.token({ aud: "https://elsewhere.example" }), "another audience"],
    [await ci.token({ aud: [audience, "https://elsewhere.example"] }), "another audience"],
    [await ci.token({ iat: seconds - 600, exp: seconds - 300 }), "has expired"],
    [await ci.token({ iat: seconds - 4000, exp: seconds + 86_400 }), "has expired"],
    [await ci.token({}, "RS256", privateKey), "not valid"],
    [await ci.token({ sub: `${main}2` }), "doesn't accept pipelines"],
    [await ci.token({ sub: "repo:acme/shop:pull_request" }), "doesn't accept pipelines"],
  ] as const)
    expect(await refusal(exchanged(token))).toMatchObject({ ...wrong, message: expect.stringContaining(message) });
  const nobody = { client_id: "00000000-0000-4000-8000-000000000000" };
  expect(await refusal(exchanged(await ci.token(), nobody))).toMatchObject({ ...wrong });
  for (const member of ["client_id", "subject_token", "subject_token_type"])
    expect(await refusal(exchanged(await ci.token(), { [member]: undefined }))).toMatchObject({
      ...{ code: "ValidationFailed", error: "invalid_request" },
    });
});

/** Other texts that a lenient decoder reads as the same token. */
function spellings(token: string): string[] {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const respelled = (part: string) => {
    const at = letters.indexOf(part.at(-1) ?? "");
    const spare = [1, 1, 16, 4][part.length % 4] ?? 1;
    return Array.from({ length: spare - 1 }, (_, bit) => part.slice(0, -1) + letters[at ^ (bit + 1)]);
  };
  const padded = (part: string) => [`${part}=`, `${part}==`, `${part} `, ` ${part}`, `${part}\n`, `\t${part}`];
  const plain = (part: string) => part.replaceAll("-", "+").replaceAll("_", "/");
  const others = (part: string) => [...respelled(part), ...padded(part), plain(part)];
  return [
    ...others(header).map((other) => [other, payload, signature].join(".")),
    ...others(payload).map((other) => [header, other, signature].join(".")),
    ...others(signature).map((other) => [header, payload, other].join(".")),
    ...[`${token}.`, `.${token}`, `${token}..`, `Bearer ${token}`],
  ].filter((other) => other !== token);
}

/** The other signature that verifies wherever this one does: s and n - s are the same to ECDSA. */
function otherSignature(token: string): string {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const [header, payload, signature = ""] = token.split(".");
  const bytes = Buffer.from(signature, "base64url");
  const s = order - BigInt(`0x${bytes.subarray(32).toString("hex")}`);
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")]);
  return [header, payload, other.toString("base64url")].join(".");
}

test.each(["RS256", "ES256", "EdDSA"])("a token signed by %s counts once, however its text is spelled", async (alg) => {
  for (const newId of [() => crypto.randomUUID(), () => undefined]) {
    // Claims of several lengths, so that each part ends in spare bits in one of them.
    for (const more of ["", "x", "xx"]) {
      const token = await ci.token({ jti: newId(), more: `${alg} ${more}` }, alg);
      await exchanged(token);
      const again = [token, ...spellings(token), ...(alg === "ES256" ? [otherSignature(token)] : [])];
      const statuses = await Promise.all(
        again.map((text) =>
          exchanged(text).then(
            () => `accepted ${text}`,
            (error) => error.status,
          ),
        ),
      );
      expect(statuses).toEqual(again.map(() => 400));
    }
  }
});

test("a spelling that isn't the canonical one is refused before the token is used", async () => {
  const token = await ci.token();
  for (const other of spellings(token)) expect(await refusal(exchanged(other))).toMatchObject({ status: 400 });
  await exchanged(token);
});

test("two tokens count as one by issuer and jti, and as two without one", async () => {
  const jti = crypto.randomUUID();
  await exchanged(await ci.token({ jti }));
  expect(await refusal(exchanged(await ci.token({ jti, more: 1 })))).toMatchObject({
    message: expect.stringContaining("already exchanged"),
  });
  for (const more of [1, 2]) await exchanged(await ci.token({ jti: undefined, more }));
});

test.each([
  ...["iss", "sub", "jti"].flatMap((name) => [[], [main], {}, 1, true, null].map((value) => ({ [name]: value }))),
  ...[[1], [[audience]], {}, 1, null].map((aud) => ({ aud })),
  ...["exp", "nbf", "iat"].flatMap((name) => ["2000000000", [2e9], {}, null, true].map((value) => ({ [name]: value }))),
])("a claim of the wrong type is 401: %j", async (claims) => {
  expect(await refusal(exchanged(await ci.token(claims)))).toMatchObject({ code: "InvalidCredentials", status: 401 });
});

test("a token is good once, also for many at once, and none of it is kept", async () => {
  const token = await ci.token();
  const tries = await Promise.allSettled(Array.from({ length: 5 }, () => exchanged(token)));
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await refusal(exchanged(token))).toMatchObject({
    ...wrong,
    message: expect.stringContaining("already exchanged"),
  });
  for (const file of readdirSync(server.dataDir).filter((name) => name.startsWith("liveplane.db")))
    expect(readFileSync(join(server.dataDir, file)).includes(token.split(".")[2] ?? "")).toBe(false);
});

test("an issuer that is down says nothing of the token: it may be shown again", async () => {
  const down = await startCi();
  const own = await startServer({
    LIVEPLANE_PIPELINE_ISSUERS: JSON.stringify([{ issuer: down.issuer, audience }]),
  });
  try {
    down.state.isDown = true;
    const form = { grant_type: exchange, client_id: clientId, subject_token_type: idToken } as const;
    const call = createClient({ baseUrl: own.url }).tokens.create({ ...form, subject_token: await down.token() });
    expect(await refusal(call)).toMatchObject({ code: "Unavailable", status: 503 });
  } finally {
    await Promise.all([own.end(), down.end()]);
  }
});

test("who may sign in is for Admins to say, among issuers that the host trusts, by whole segments", async () => {
  const { federatedIdentities: identities } = ada.api.environments.serviceAccounts;
  const add = (issuer: string, subject: string) => refusal(identities.create(role(), { issuer, subject }));
  expect(await add("https://elsewhere.example", main)).toMatchObject({ code: "ValidationFailed", status: 400 });
  expect(await add(ci.issuer, "repo:*/shop")).toMatchObject({ message: expect.stringContaining("#/subject") });
  expect(await add(ci.issuer, main)).toMatchObject({ code: "AlreadyExists" });
  const pipeline = createClient({ baseUrl: server.url, token: (await exchanged(await ci.token())).access_token });
  const itself = pipeline.environments.serviceAccounts.federatedIdentities;
  expect(await refusal(itself.create(role(), { issuer: ci.issuer, subject: "repo:eve/*" }))).toMatchObject({
    code: "PermissionDenied",
  });
  const made = await identities.create(role(), { issuer: ci.issuer, subject: "repo:acme/shop:environment:*" });
  const given = await exchanged(await ci.token({ sub: "repo:acme/shop:environment:staging" }));
  const other = createClient({ baseUrl: server.url, token: given.access_token });
  await other.environments.get(at());
  expect(await identities.delete({ ...role(), identityId: made.id })).toMatchObject({ id: made.id });
  expect(await refusal(other.environments.get(at()))).toMatchObject({ code: "TokenRevoked" });
  await pipeline.environments.get(at());
});

test("where a pipeline fits in several environments it says which it means", async () => {
  const second = { ...at(), shortName: "staging" } as const;
  await ada.api.environments.create(second, {});
  const there = { ...second, principalId: clientId };
  await ada.api.environments.serviceAccounts.assign(there, { serviceAccountRole: "Bot" });
  const identity = { issuer: ci.issuer, subject: main };
  const { id: identityId } = await ada.api.environments.serviceAccounts.federatedIdentities.create(there, identity);
  expect(await refusal(exchanged(await ci.token()))).toMatchObject({ code: "ValidationFailed" });
  const environment = `Personal/${ada.id}/staging`;
  const { access_token: token } = await exchanged(await ci.token(), { environment });
  const pipeline = createClient({ baseUrl: server.url, token });
  await pipeline.environments.get(second);
  expect(await refusal(pipeline.environments.get(at()))).toMatchObject({ code: "InsufficientScope" });
  await ada.api.environments.serviceAccounts.update(there, { active: false });
  expect(await refusal(exchanged(await ci.token(), { environment }))).toMatchObject({ code: "ServiceAccountDisabled" });
  await ada.api.environments.serviceAccounts.federatedIdentities.delete({ ...there, identityId });
});

const root = join(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

interface Step {
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A runner of GitHub for the action's steps: a folder, what stands on its path, and the token that it gives. */
function runner(inputs: Readonly<Record<string, string>>) {
  const home = emptyFolder();
  const bin = join(home, "bin");
  mkdirSync(bin);
  const program = (name: string, text: string) => {
    writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  const cli = `"${process.execPath}" --conditions=@liveplane/source "${join(root, "packages/client/src/cli/bin.ts")}"`;
  program(
    "npx",
    `[ "$1 $2 $3 $4" = "--yes --package @liveplane/client@latest liveplane" ] || exit 9\nshift 4\nexec ${cli} "$@"`,
  );
  // GitHub's program: it shows the comments of the pull request, and keeps what is asked of it.
  program(
    "gh",
    '[ "$2" != view ] || exec cat "$RUNNER_TEMP/comments.json"\nprintf "%s\\n" "$@" > "$RUNNER_TEMP/gh.txt"',
  );
  const { inputs: declared, runs } = parse(read("deploy/github-action/action.yml")) as {
    readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
    readonly runs: { readonly steps: readonly Step[] };
  };
  const known: Readonly<Record<string, string>> = {
    ...Object.fromEntries(Object.entries(declared).map(([name, input]) => [`inputs.${name}`, input.default ?? ""])),
    ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`inputs.${name}`, value])),
    "github.event.pull_request.number": "7",
  };
  const filled = (text: string) =>
    text.replaceAll(
      /\$\{\{ (.+?) \}\}/g,
      (_, words: string) =>
        words
          .split(" || ")
          .map((word) => known[word] ?? "")
          .find((value) => value !== "") ?? "",
    );
  const environment = {
    ...{ PATH: `${bin}:${process.env.PATH}`, HOME: home, RUNNER_TEMP: home, GITHUB_REPOSITORY: "acme/shop" },
    ...{ GITHUB_STEP_SUMMARY: join(home, "summary.md"), GITHUB_ACTION_PATH: join(root, "deploy/github-action") },
    ...{ ACTIONS_ID_TOKEN_REQUEST_URL: `${ci.issuer}/runner`, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of-this-job" },
  };
  /** Runs a step as it stands in the definition. */
  const step = (at: number): Promise<{ readonly code: number; readonly log: string }> => {
    const { run = "", env = {} } = runs.steps[at] ?? {};
    const told = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filled(text)]));
    return new Promise((resolve) =>
      execFile("bash", ["-e", "-c", run], { cwd: home, env: { ...environment, ...told } }, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), log: out + err }),
      ),
    );
  };
  return {
    step,
    file: (name: string) => readFileSync(join(home, name), "utf8"),
    write: (name: string, text: string) => writeFileSync(join(home, name), text),
  };
}

test("the action deploys a file, and posts a plan, by the job's own token", { timeout: 60_000 }, async () => {
  const cloud = { providerAClientId: clientId, providerAClientSecret: "a cloud's secret" };
  await ada.api.environments.providerA.initialize(at(), { subscriptionId: clientId, region: "westeurope" }, cloud);
  await server.liveplane.start();
  await waitForInitialization(ada.api, at(), "provider-a", { intervalMs: 50 });
  const inputs = { url: server.url, "client-id": clientId, file: "system.yaml", audience };
  const job = runner({ ...inputs, command: "deploy" });
  const pull = runner({ ...inputs, comment: "true" });
  const parameters = `{ addressSpace: "10.0.0.0/16" }`;
  const type = "Microsoft.Network/virtualNetworks@2024-05-01";
  const system = [
    `name: shop`,
    `environmentId: { type: Personal, ownerId: ${ada.id}, shortName: production }`,
    `components:`,
    `  - { path: network/vnet, provider: provider-a, type: ${type}, parameters: ${parameters} }`,
  ].join("\n");
  job.write("system.yaml", system);
  const deployed = await job.step(0);
  expect(deployed).toMatchObject({ code: 0, log: expect.stringMatching(/mutation \S+ Succeeded/) });
  pull.write("system.yaml", job.file("system.yaml").replace("10.0.0.0/16", "10.1.0.0/16"));
  expect(await pull.step(0)).toMatchObject({
    code: 0,
    log: expect.stringMatching(/^::stop-commands::[0-9a-f]{32}\n/),
  });
  expect(pull.file("summary.md")).toMatch(
    /^### liveplane plan of system\.yaml\n\n {4}COMPONENT.*\n {4}.*network\/vnet.*10\.1\.0\.0/,
  );
  const marker = `<!-- liveplane plan of system.yaml at ${server.url} -->`;
  const comment = (id: number, body: string, viewerDidAuthor = true) => {
    return { body, viewerDidAuthor, url: `https://github.com/acme/shop/pull/7#issuecomment-${id}` };
  };
  const others = [
    comment(1, marker, false),
    comment(2, "Coverage: 98 %"),
    comment(3, marker.replace("system", "other")),
  ];
  pull.write("comments.json", JSON.stringify({ comments: others }));
  expect(await pull.step(1)).toMatchObject({ code: 0 });
  expect(pull.file("gh.txt").split("\n").slice(0, 3)).toEqual(["pr", "comment", "7"]);
  expect(pull.file("comment.md")).toBe(`${marker}\n${pull.file("summary.md")}`);
  pull.write("comments.json", JSON.stringify({ comments: [...others, comment(4, `${marker}\nold`)] }));
  expect(await pull.step(1)).toMatchObject({ code: 0 });
  expect(pull.file("gh.txt")).toContain("\nPATCH\nrepos/acme/shop/issues/comments/4\n");
  pull.write("system.yaml", "name: [");
  expect(await pull.step(0)).toMatchObject({ code: 2, log: expect.stringContaining("system.yaml") });
});

test("the guide's lines are typed, with ids of this test", async () => {
  const guide = read("docs/how-to/ci.md");
  const typed = [...guide.matchAll(/^liveplane (.+)$/gm)].map(([, line = ""]) => line);
  expect(typed).toHaveLength(2);
  const principalId = "7e1f7a3e-9d5b-4c62-8d6f-3a1b2c3d4e5f";
  const folder = emptyFolder();
  for (const line of typed) {
    const [, words = "", body = ""] = /^(.+?) --body '(.+)'$/.exec(line) ?? [];
    const filled = words.replace("<ownerId>", ada.id).replace("<principalId>", principalId);
    const issuer = body.replace("https://token.actions.githubusercontent.com", ci.issuer);
    const args = [...filled.split(" "), "--body", issuer];
    expect(await inJob(args, { LIVEPLANE_TOKEN: ada.token }, folder)).toMatchObject({ code: 0 });
  }
  const [, LIVEPLANE_PIPELINE_ISSUERS = ""] = /^LIVEPLANE_PIPELINE_ISSUERS='(.+)' npx/m.exec(guide) ?? [];
  expect(readConfig({ environment: { LIVEPLANE_PIPELINE_ISSUERS } }).pipelineIssuers).toEqual([
    { issuer: "https://token.actions.githubusercontent.com", audience },
  ]);
  const [, plan = ""] = /LIVEPLANE_ID_TOKEN=<the job's token> liveplane (plan -f system.yaml)/.exec(guide) ?? [];
  const file = join(folder, "system.yaml");
  const environmentId = `{ type: Personal, ownerId: ${ada.id}, shortName: production }`;
  writeFileSync(file, `name: new\nenvironmentId: ${environmentId}\ncomponents: []\n`);
  const job = { LIVEPLANE_CLIENT_ID: principalId, LIVEPLANE_ID_TOKEN: await ci.token() };
  const planned = await inJob(plan.replace("system.yaml", file).split(" "), job, folder);
  expect(planned).toMatchObject({ code: 0, said: expect.stringContaining("The live system is new") });
});

/** Runs a command as a job of the CI does. */
const inJob = (line: string | readonly string[], environment: Readonly<Record<string, string>>, folder: string) =>
  typedLine(line, {
    environment: { LIVEPLANE_URL: server.url, LIVEPLANE_CLIENT_ID: clientId, ...environment },
    folder,
  });

test("in a job the command line signs in by itself, and keeps what it got for the commands that follow", async () => {
  const folder = emptyFolder();
  const runner = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${ci.issuer}/runner?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of-this-job",
    LIVEPLANE_AUDIENCE: audience,
  };
  const get = `environments get Personal/${ada.id}/production --json`;
  const before = ci.state.given;
  for (let times = 0; times < 2; times++) expect(await inJob(get, runner, folder)).toMatchObject({ code: 0 });
  expect(ci.state.given).toBe(before + 1);
  const [kept = ""] = readdirSync(folder);
  expect(statSync(join(folder, kept, "session.json")).mode & 0o777).toBe(0o600);

  const given = { LIVEPLANE_ID_TOKEN: await ci.token() };
  for (let times = 0; times < 2; times++) expect(await inJob(get, given, folder)).toMatchObject({ code: 0 });
  expect(await inJob(get, { LIVEPLANE_ID_TOKEN: await elsewhere.token() }, folder)).toMatchObject({
    ...{ code: 1, said: expect.stringContaining("this server doesn't trust its issuer") },
  });
  const unlike = { ...runner, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of-another" };
  expect(await inJob(get, unlike, folder)).toMatchObject({
    code: 1,
    said: expect.stringContaining("id-token: write"),
  });
  expect(await inJob(get, {}, folder)).toMatchObject({
    code: 2,
    said: expect.stringContaining("LIVEPLANE_ID_TOKEN"),
  });
});
