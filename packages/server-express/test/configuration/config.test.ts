import { execFile } from "node:child_process";
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { defaultSettings } from "@liveplane/core";
import { isLiveplaneError } from "@liveplane/core/errors";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { bundledServer } from "../../../../quality/bundled-server.ts";
import { emptyFolder } from "../../../adapters/test/empty-folder.ts";
import { readConfig, settingsHelp } from "../../src/configuration/config.ts";
import { readOrigins } from "../../src/configuration/settings.ts";
import { runProgram } from "../../src/program.ts";
import { bareEnvironment } from "../server-process.ts";

const key = Buffer.alloc(32, 7).toString("base64");

const addresses = {
  good: ["https://management.usgovcloudapi.net", "http://127.0.0.1:8081", "http://[::1]:8081/azure/"],
  bad: ["http://example.com", "example.com", "https://u:p@example.com", "https://example.com?a=b", "ftp://example.com"],
};

function mistakesOf(environment: Readonly<Record<string, string>>, file?: string): readonly (string | undefined)[] {
  try {
    readConfig({ environment, ...(file !== undefined && { file }) });
    return [];
  } catch (error) {
    if (!isLiveplaneError(error, "ConfigurationInvalid")) throw error;
    return error.details.errors?.map((violation) => Reflect.get(violation, "parameter")) ?? [];
  }
}

function fileOf(content: unknown): string {
  const file = join(emptyFolder(), "config.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

describe("readConfig", () => {
  test("has a default for everything", () => {
    expect(readConfig({ environment: { LIVEPLANE_DEMO: "off" } })).toMatchObject({
      host: "localhost",
      port: 8080,
      checkSeconds: 180,
      openRegistration: false,
      rateLimits: {},
      trustedProxies: 0,
      revealOverHttp: false,
      mail: null,
      simulatedClouds: true,
      clouds: { azure: { managementUrl: "https://management.azure.com", clientId: null } },
      corsOrigins: [],
    });
  });

  test("names all mistakes at once, without a value", () => {
    const environment = {
      PORT: "http-canary",
      LIVEPLANE_CHECK_SECONDS: "0",
      LIVEPLANE_OPEN_REGISTRATION: "canary",
      LIVEPLANE_RATE_LIMITS: '{"canary":1}',
      LIVEPLANE_MAIL: "canary://x",
      LIVEPLANE_RESTORED_TAG: "canary",
      LIVEPLANE_TRUST_PROXY: "canary",
      LIVEPLANE_OVERDUE_HOURS: "24,canary",
      LIVEPLANE_AZURE_CLIENT_ID: "canary",
      LIVEPLANE_GOOGLE_URL: "https://canary.example",
    };
    expect(mistakesOf(environment).toSorted()).toEqual(Object.keys(environment).toSorted());
    expect(() => readConfig({ environment })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("canary") }),
    );
  });

  test.each([
    ["PORT", ["0", "8080", "65535"], ["-1", "65536", "1.5", "80a", " ", "0x50"]],
    ["LIVEPLANE_CHECK_SECONDS", ["0.1", "180", "86400"], ["0.09", "86401", "NaN", "Infinity", "soon"]],
    ["LIVEPLANE_OPEN_REGISTRATION", ["true", "on", "1", "false", "off", "0", "TRUE"], ["yes", "no", "2", " on"]],
    ["LIVEPLANE_RATE_LIMITS", ["off", "{}", '{"reads":1}'], ["on", "[]", "null", '{"reads":0}', '{"reads":1.5}', "{"]],
    [
      "LIVEPLANE_PLANS",
      ["{}", '{"discover":{"organizations":0}}', '{"workgroup":{"accounts":10,"liveSystems":50}}'],
      ["off", "[]", "null", '{"enterprise":{}}', '{"discover":{"seats":1}}', '{"discover":{"accounts":1.5}}', "{"],
    ],
    ["LIVEPLANE_TRUST_PROXY", ["true", "false", "0", "2", "10"], ["-1", "1.5", "all", "11", " ", "0x1", "1e0", "+1"]],
    [
      "LIVEPLANE_MAIL",
      ["smtp://mail.example:25", "smtps://u:p@mail.example", "dir:/tmp/x"],
      ["dir:", "http://x", "smtp"],
    ],
    ["LIVEPLANE_WEBHOOKS", ["on", "off"], ["public"]],
    [
      "LIVEPLANE_WEBHOOK_ORIGINS",
      ["https://a.example", "http://10.0.0.7:8080,https://b.example"],
      ["a.example", "https://a.example/path", "ftp://a.example"],
    ],
    ["LIVEPLANE_CONSOLE_URL", ["https://a.example/console"], ["a.example", "/console"]],
    [
      "LIVEPLANE_SECURITY_CONTACT",
      ["mailto:security@a.example", "https://a.example/security"],
      ["security@a.example", "http://a.example", "mailto:a@b.example\nExpires: never", "mailto:"],
    ],
    ["LIVEPLANE_OVERDUE_HOURS", ["24,72,168", "1"], ["0", "a", "1,,2", "-3"]],
    ["LIVEPLANE_MASTER_KEY", [key, `${key},${key}`], ["short", `${key},`, Buffer.alloc(33, 7).toString("base64")]],
    ["LIVEPLANE_SIMULATED_CLOUDS", ["on", "off"], ["real"]],
    ["LIVEPLANE_AZURE_CLIENT_ID", ["04b07795-8ddb-461a-bbee-02f9e1bf7b46"], ["liveplane", "04b07795"]],
    [
      "LIVEPLANE_AZURE_CREDENTIALS",
      ["none", "default", "managed-identity", "workload-identity", "cli"],
      ["secret", "Default"],
    ],
    ["LIVEPLANE_GOOGLE_CREDENTIALS", ["none", "adc"], ["default", "key"]],
    ["LIVEPLANE_AWS", ["[]"], ["{}", "[1]", "x"]],
    ["LIVEPLANE_HOST_IDENTITY_FOR", ["[]"], ["{}", "[1]"]],
    [
      "LIVEPLANE_PIPELINE_ISSUERS",
      ["[]", `[{"issuer":"http://127.0.0.1:1","audience":"a"}]`],
      ["{}", "[1]", `[{"issuer":"http://ci.example","audience":"a"}]`, `[{"issuer":"https://ci.example"}]`],
    ],
    ["LIVEPLANE_AZURE_URL", addresses.good, addresses.bad],
    ["LIVEPLANE_AZURE_LOGIN_URL", addresses.good, addresses.bad],
    ["LIVEPLANE_GOOGLE_TOKEN_URL", addresses.good, addresses.bad],
    [
      "LIVEPLANE_GOOGLE_URL",
      ["https://{service}.p.googleapis.com", "http://localhost:8081/{service}/"],
      ["https://googleapis.com", "http://{service}.example", "https://{service}.{service}.example", "{service}"],
    ],
    ["LIVEPLANE_SECOND_FACTOR", ["nobody", "operators", "everybody"], ["all", "Everybody"]],
    ["LIVEPLANE_RESTORED_TAG", ["resume-when-clean", "resume", "wait"], ["never", "Resume"]],
  ])("%s takes what it says", (name, good, bad) => {
    for (const text of good) expect([text, mistakesOf({ [name]: text })]).toEqual([text, []]);
    for (const text of bad) expect([text, mistakesOf({ [name]: text })]).toEqual([text, [name]]);
  });

  test("an OpenID provider is an address, and a client of it", () => {
    const client = { LIVEPLANE_OIDC_CLIENT_ID: "liveplane", LIVEPLANE_OIDC_CLIENT_SECRET: "canary" };
    const at = (issuer: string) => mistakesOf({ LIVEPLANE_OIDC_ISSUER: issuer, ...client });
    for (const issuer of ["https://id.example", "https://id.example/realms/x/", "http://127.0.0.1:9"])
      expect([issuer, at(issuer)]).toEqual([issuer, []]);
    for (const issuer of ["http://id.example", "id.example", "https://id.example?x", "https://u:p@id.example"])
      expect([issuer, at(issuer)[0]]).toEqual([issuer, "LIVEPLANE_OIDC_ISSUER"]);
    expect(mistakesOf({ LIVEPLANE_OIDC_ISSUER: "https://id.example" })).toEqual(["LIVEPLANE_OIDC_CLIENT_ID"]);
    expect(mistakesOf(client)).toEqual(Object.keys(client));
    expect(mistakesOf({ LIVEPLANE_OIDC_PROVISION: "on" })).toEqual(["LIVEPLANE_OIDC_PROVISION"]);
    const environment = { LIVEPLANE_OIDC_ISSUER: "https://id.example/", ...client };
    expect(readConfig({ environment })).toMatchObject({ oidcIssuer: "https://id.example/", provisioning: "off" });
  });

  test("DATABASE_URL is a Postgres address, and needs the keys that all processes share", () => {
    const withKey = (url: string) => mistakesOf({ DATABASE_URL: url, LIVEPLANE_MASTER_KEY: key });
    for (const url of ["postgres://db/liveplane", "postgresql://u:p@db:5432/x"]) {
      expect(withKey(url)).toEqual([]);
      expect(mistakesOf({ DATABASE_URL: url })).toEqual(["LIVEPLANE_MASTER_KEY"]);
    }
    for (const url of ["mysql://db", "db", "/var/db"]) expect(withKey(url)).toEqual(["DATABASE_URL"]);
  });

  test("LIVEPLANE_STORE names a store, and a wrong one is told all of them", () => {
    const read = (address: string) =>
      readConfig({ environment: { LIVEPLANE_STORE: address, LIVEPLANE_MASTER_KEY: key } }).store;
    expect(read("")).toEqual({ kind: "sqlite", at: null });
    expect(read("sqlite:")).toEqual({ kind: "sqlite", at: null });
    expect(read("sqlite:/var/lib/plane.db")).toEqual({ kind: "sqlite", at: "/var/lib/plane.db" });
    expect(read("node-sqlite:plane.db")).toEqual({ kind: "node-sqlite", at: "plane.db" });
    expect(read("pglite:lite")).toEqual({ kind: "pglite", at: "lite" });
    expect(read("postgres://db/x")).toEqual({ kind: "postgres", at: "postgres://db/x" });
    expect(read("keyv:redis://db:6379")).toEqual({ kind: "keyv", at: "redis://db:6379" });
    expect(read("memory:")).toEqual({ kind: "memory", at: null });
    for (const wrong of ["sqlite", "mysql://db", "keyv:", "keyv:redis", "memory:x", "postgres:db", "/var/plane.db"]) {
      expect(() => read(wrong)).toThrow(
        /LIVEPLANE_STORE must be sqlite:<file>, node-sqlite:<file>, postgres:\/\/…, pglite:<folder>, keyv:<address of a backend, such as redis:\/\/…> or memory:\./,
      );
    }
  });

  test("LIVEPLANE_STORE and DATABASE_URL can't name two stores, and jobs need Postgres", () => {
    const withKey = (environment: Readonly<Record<string, string>>) =>
      mistakesOf({ ...environment, LIVEPLANE_MASTER_KEY: key });
    const [here, there] = ["postgres://db/here", "postgres://db/there"];
    expect(withKey({ LIVEPLANE_STORE: here, DATABASE_URL: here })).toEqual([]);
    expect(withKey({ LIVEPLANE_STORE: here, DATABASE_URL: there })).toEqual(["LIVEPLANE_STORE"]);
    expect(withKey({ LIVEPLANE_STORE: "memory:", DATABASE_URL: there })).toEqual(["LIVEPLANE_STORE"]);
    expect(mistakesOf({ LIVEPLANE_STORE: here })).toEqual(["LIVEPLANE_MASTER_KEY"]);
    expect(withKey({ LIVEPLANE_STORE: here, LIVEPLANE_SCHEDULER: "pg-boss" })).toEqual([]);
    for (const store of ["keyv:redis://db", "memory:", "pglite:", "sqlite:"])
      expect(mistakesOf({ LIVEPLANE_STORE: store, LIVEPLANE_SCHEDULER: "pg-boss" })).toEqual(["LIVEPLANE_SCHEDULER"]);
  });

  test("an address is kept without the slash at its end", () => {
    const environment = {
      LIVEPLANE_AZURE_URL: "https://a.example/",
      LIVEPLANE_GOOGLE_URL: "https://{service}.example/",
    };
    expect(readConfig({ environment }).clouds).toMatchObject({
      azure: { managementUrl: "https://a.example" },
      google: { serviceUrl: "https://{service}.example" },
    });
  });

  test("the demo is checked every five seconds, unless somebody chose another interval", () => {
    expect(readConfig({ environment: {} }).checkSeconds).toBe(5);
    expect(readConfig({ environment: { LIVEPLANE_CHECK_SECONDS: "60" } }).checkSeconds).toBe(60);
    expect(readConfig({ environment: { LIVEPLANE_DEMO: "off" } }).checkSeconds).toBe(180);
  });

  test("webhooks may go to this machine only in a demo that only this machine reaches", () => {
    expect(readConfig({ environment: {} }).webhooksToLoopback).toBe(true);
    expect(readConfig({ environment: { HOST: "0.0.0.0" } }).webhooksToLoopback).toBe(false);
    expect(readConfig({ environment: { LIVEPLANE_DEMO: "off" } }).webhooksToLoopback).toBe(false);
    expect(readConfig({ environment: { LIVEPLANE_DATA: "/srv/data" } }).webhooksToLoopback).toBe(false);
  });

  test("a demo is made on simulated clouds alone", () => {
    expect(mistakesOf({ LIVEPLANE_DEMO: "on", LIVEPLANE_SIMULATED_CLOUDS: "off" })).toEqual(["LIVEPLANE_DEMO"]);
    expect(mistakesOf({ LIVEPLANE_SCHEDULER: "pg-boss" })).toEqual(["LIVEPLANE_SCHEDULER"]);
    expect(readConfig({ environment: {} }).demo).toBe(true);
    expect(readConfig({ environment: { LIVEPLANE_SIMULATED_CLOUDS: "off" } }).demo).toBe(false);
  });

  test("an empty variable is one that isn't set", () => {
    expect(readConfig({ environment: { PORT: "", LIVEPLANE_MAIL: "" } })).toMatchObject({ port: 8080, mail: null });
  });

  test("a file takes JSON's own kinds, and the environment goes before it", () => {
    const file = fileOf({ PORT: 9000, LIVEPLANE_REVEAL: true, LIVEPLANE_RATE_LIMITS: { reads: 5 }, HOST: "::1" });
    expect(readConfig({ environment: { PORT: "9001" }, file })).toMatchObject({
      port: 9001,
      revealOverHttp: true,
      rateLimits: { reads: 5 },
      host: "::1",
    });
  });

  test("a file's mistakes are named with the environment's", () => {
    const file = fileOf({ LIVEPLANE_REVEAL: "maybe", LIVEPLANE_REVAEL: true });
    expect(mistakesOf({ PORT: "x" }, file).toSorted()).toEqual(["LIVEPLANE_REVAEL", "LIVEPLANE_REVEAL", "PORT"]);
    expect(mistakesOf({}, fileOf("{"))).toEqual(["--config"]);
    expect(mistakesOf({}, fileOf("[1]"))).not.toEqual([]);
    expect(mistakesOf({}, fileOf("null"))).toEqual(["--config"]);
    expect(mistakesOf({}, "/nowhere/at/all.json")).toEqual(["--config"]);
  });
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program to its end, in this process. */
async function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const said = { out: "", err: "" };
  const hear = (what: keyof typeof said) => (text: unknown) => {
    said[what] += String(text);
    return true;
  };
  const heard = [
    vi.spyOn(process.stdout, "write").mockImplementation(hear("out")),
    vi.spyOn(process.stderr, "write").mockImplementation(hear("err")),
  ];
  try {
    const environment = { LIVEPLANE_DATA: emptyFolder(), ...variables };
    return { code: await runProgram({ args, environment }), ...said };
  } finally {
    for (const spy of heard) spy.mockRestore();
  }
}

/** Runs it in a process of its own: what it doesn't end by itself would show. */
function spawned(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const env = { ...bareEnvironment, LIVEPLANE_DATA: emptyFolder(), ...variables };
  return new Promise((resolve) => {
    execFile(process.execPath, [bundledServer, ...args], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

/** What else than its default each setting can be. */
const others: Readonly<Record<string, string>> = {
  HOST: "::1",
  PORT: "0",
  LIVEPLANE_DATA: "elsewhere",
  DATABASE_URL: "postgres://db/liveplane",
  LIVEPLANE_STORE: "memory:",
  LIVEPLANE_OPERATOR_PASSWORD: "correct horse battery staple",
  LIVEPLANE_MASTER_KEY: key,
  LIVEPLANE_SCHEDULER: "pg-boss",
  LIVEPLANE_CHECK_SECONDS: "1",
  LIVEPLANE_OPEN_REGISTRATION: "on",
  LIVEPLANE_OIDC_ISSUER: "https://id.example",
  LIVEPLANE_OIDC_CLIENT_ID: "liveplane",
  LIVEPLANE_OIDC_CLIENT_SECRET: "secret",
  LIVEPLANE_OIDC_ACR: "gold",
  LIVEPLANE_OIDC_AMR: "mfa",
  LIVEPLANE_OIDC_PROVISION: "verified-email",
  LIVEPLANE_RATE_LIMITS: "off",
  LIVEPLANE_PLANS: '{"discover":{"organizations":1}}',
  LIVEPLANE_TRUST_PROXY: "1",
  LIVEPLANE_REVEAL: "on",
  LIVEPLANE_REQUIRE_IF_MATCH: "on",
  LIVEPLANE_VALIDATE_ANSWERS: "on",
  LIVEPLANE_MAIL: "dir:mails",
  LIVEPLANE_MAIL_FROM: "us@example.com",
  LIVEPLANE_WEBHOOKS: "off",
  LIVEPLANE_WEBHOOK_ORIGINS: "https://hooks.internal.example",
  LIVEPLANE_CONSOLE_URL: "https://console.example",
  LIVEPLANE_SECURITY_CONTACT: "mailto:security@example.com",
  LIVEPLANE_OVERDUE_HOURS: "1",
  LIVEPLANE_SECOND_FACTOR: "operators",
  LIVEPLANE_RESTORED_TAG: "wait",
  LIVEPLANE_KEPT_MUTATIONS: "1",
  LIVEPLANE_KEPT_DEFINITIONS: "1",
  LIVEPLANE_KEPT_OVERRIDES: "1",
  LIVEPLANE_KEPT_OVERRIDE_DAYS: "1",
  LIVEPLANE_SIMULATED_CLOUDS: "off",
  LIVEPLANE_AZURE_CLIENT_ID: "04b07795-8ddb-461a-bbee-02f9e1bf7b46",
  LIVEPLANE_AZURE_CREDENTIALS: "managed-identity",
  LIVEPLANE_GOOGLE_CREDENTIALS: "adc",
  LIVEPLANE_AWS: `[{"environment":"Personal/3f2504e0-4f89-41d3-9a0c-0305e82c3301/dev","account":"111122223333","region":"eu-central-1"}]`,
  LIVEPLANE_HOST_IDENTITY_FOR: `[{"environment":"Personal/3f2504e0-4f89-41d3-9a0c-0305e82c3301/dev","provider":"provider-a","target":"x"}]`,
  LIVEPLANE_PIPELINE_ISSUERS: `[{"issuer":"https://ci.example","audience":"liveplane"}]`,
  LIVEPLANE_AZURE_URL: "https://management.usgovcloudapi.net",
  LIVEPLANE_AZURE_LOGIN_URL: "https://login.microsoftonline.us",
  LIVEPLANE_GOOGLE_URL: "https://{service}.p.googleapis.com",
  LIVEPLANE_GOOGLE_TOKEN_URL: "http://localhost:1/token",
  LIVEPLANE_CORS_ORIGINS: "https://a.example,https://b.example",
  LIVEPLANE_METRICS: "machine",
  LIVEPLANE_METRICS_TOKEN: "a-token-of-the-scraper",
  LIVEPLANE_MAX_CONNECTIONS: "1",
  LIVEPLANE_MAX_CONNECTIONS_PER_ADDRESS: "1",
  LIVEPLANE_DRAIN_SECONDS: "0",
  LIVEPLANE_LOG: "debug",
  LIVEPLANE_SLOW_SECONDS: "1",
  LIVEPLANE_TRACING: "otlp",
  LIVEPLANE_TRACED_SHARE: "0.1",
  LIVEPLANE_DEMO: "off",
};

/** What takes any text. */
const free = ["HOST", "LIVEPLANE_DATA", "LIVEPLANE_OPERATOR_PASSWORD", "LIVEPLANE_MAIL_FROM", "LIVEPLANE_CORS_ORIGINS"];

describe("each setting", () => {
  const names = settingsHelp()
    .split("\n")
    .map((line) => line.trim().split(" ")[0] ?? "");

  test("stands in --help once, in one order", () => expect(names).toEqual(Object.keys(others)));

  test.each(Object.entries(others))("%s changes what the server is told", (name, other) => {
    const database = { DATABASE_URL: "postgres://db/liveplane", LIVEPLANE_MASTER_KEY: key };
    const issuer = { LIVEPLANE_OIDC_ISSUER: "https://id.example" };
    const client = { LIVEPLANE_OIDC_CLIENT_ID: "another" };
    const needs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      DATABASE_URL: { LIVEPLANE_MASTER_KEY: key },
      LIVEPLANE_AWS: { LIVEPLANE_SIMULATED_CLOUDS: "off" },
      LIVEPLANE_SCHEDULER: database,
      LIVEPLANE_OIDC_ISSUER: { ...client, LIVEPLANE_OIDC_ISSUER: "https://another.example" },
      LIVEPLANE_OIDC_CLIENT_ID: { ...issuer, ...client },
      LIVEPLANE_OIDC_CLIENT_SECRET: { ...issuer, ...client },
    };
    const needed = needs[name] ?? {};
    const environment = { ...needed, [name]: other };
    expect(readConfig({ environment })).not.toEqual(readConfig({ environment: needed }));
  });

  test.each(names.filter((name) => !free.includes(name)))("%s is refused by its name when it is wrong", (name) => {
    expect(mistakesOf({ LIVEPLANE_MASTER_KEY: key, [name]: "\u0001" })).toEqual([name]);
  });
});

test("a setting that the core has too begins with the core's default", () => {
  const config = readConfig({ environment: { LIVEPLANE_DEMO: "off" } });
  const shared = Object.entries(config).filter(([member]) => member in defaultSettings);
  expect(shared.map(([member]) => member)).toContain("keptDefinitionBytes");
  expect(defaultSettings).toMatchObject(Object.fromEntries(shared));
});

describe("the program", () => {
  test("--help names the verbs and every setting", async () => {
    const { code, out } = await run(["--help"]);
    expect(code).toBe(0);
    const verbs = ["check-config", "reset-operator", "raise-format", "export", "import", "backup", "restore", "drill"];
    for (const word of [...verbs, "--role", "--version", "PORT", "LIVEPLANE_MAIL"]) expect(out).toContain(word);
  });

  test("--version says which", async () => {
    expect(await run(["--version"])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  test("check-config says that all is well, or what isn't", async () => {
    expect(await spawned(["check-config"])).toMatchObject({ code: 0, out: "The configuration is valid.\n" });
    const unknown = await run(["check-config"], {
      LIVEPLANE_REVEALS: "on",
      LIVEPLANE_OF_ANOTHER: "1",
      LIVEPLANE_PORT: "1",
    });
    expect(unknown).toMatchObject({ code: 0, out: expect.stringContaining("The configuration is valid.\n") });
    expect(unknown.out).toContain("LIVEPLANE_REVEALS isn't a setting of this server; did you mean LIVEPLANE_REVEAL?\n");
    expect(unknown.out).toContain("LIVEPLANE_PORT isn't a setting of this server; did you mean PORT?\n");
    expect(unknown.out).toContain("LIVEPLANE_OF_ANOTHER isn't a setting of this server; see --help.\n");
    const wrong = await spawned(["check-config"], { PORT: "x", LIVEPLANE_REVEAL: "y" });
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain("PORT");
    expect(wrong.err).toContain("LIVEPLANE_REVEAL");
  });

  test("a refusal shows control characters instead of sending them to the terminal", async () => {
    expect((await run(["\u009b2J\u202e"])).err).toContain('There is no command "\\u009b2J\\u202e"');
  });

  test.each([
    [["--role", "chief"], "--role must be api, agent or all.\n"],
    [["dance"], 'There is no command "dance". See --help.\n'],
    [["check-confg"], 'There is no command "check-confg"; did you mean check-config? See --help.\n'],
    [["backup"], '"backup" needs a file: backup <file>.\n'],
    [["export"], '"export" needs a file: export <file>.\n'],
    [["--unknown"], "Unknown option '--unknown'. See --help.\n"],
    [["--config"], "Option '--config <value>' argument missing. See --help.\n"],
    [
      ["check-config", "--config", "/nowhere.json"],
      "The configuration is not valid:\n  --config: /nowhere.json can't be read (ENOENT).\n",
    ],
  ])("%j is refused with a sentence and no stack", async (args, said) => {
    const data = join(emptyFolder(), "data");
    const { code, err } = await run(args, { LIVEPLANE_DATA: data });
    expect([code, err]).toEqual([2, said]);
    expect(existsSync(data)).toBe(false);
  });

  test.each([
    [["import", "/nope"], "The file /nope can't be read (ENOENT).\n"],
    [["import", "/tmp"], "/tmp is a folder. Name a file in it.\n"],
    [["export", "/nowhere/all.jsonl"], "The file /nowhere/all.jsonl.part can't be written (ENOENT).\n"],
  ])("%j is a sentence that names the file", async (args, said) => {
    expect(await run(args)).toMatchObject({ code: 2, err: said });
  });

  test.each([
    ["backup", "pg_dump --format=custom --file='/it'\\''s/here' \"$DATABASE_URL\""],
    ["restore", "pg_restore --no-owner --dbname=\"$DATABASE_URL\" '/it'\\''s/here'"],
  ])("%s of a Postgres names the line to type, without the address", async (verb, line) => {
    const settings = { DATABASE_URL: "postgres://canary@127.0.0.1:1/x", LIVEPLANE_MASTER_KEY: key };
    const { code, err } = await run([verb, "/it's/here"], settings);
    expect([code, err]).toEqual([2, `The database is Postgres. Use its own tool: ${line}\n`]);
  });

  test("a port that is taken is a sentence", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const { code, err } = await spawned([], { PORT: String(port), LIVEPLANE_LOG: "silent" });
    expect(code).toBe(2);
    expect(err).toContain("the port is in use");
    expect(err).not.toMatch(/\n\s+at /);
  });

  test("a data folder that nothing can be written in is a sentence that names it", async () => {
    const file = fileOf("no folder");
    const { code, err } = await run([], { LIVEPLANE_DATA: file });
    expect(code).toBe(2);
    expect(err).toBe(`Can't write to the data folder ${file} (EEXIST). Set LIVEPLANE_DATA to another folder.\n`);
  });

  test.runIf(process.platform === "linux")("a data folder where none can be made doesn't hang", async () => {
    const { code, err } = await spawned([], { LIVEPLANE_DATA: "/proc/liveplane" });
    expect(code).toBe(2);
    expect(err).toContain("Set LIVEPLANE_DATA to another folder.");
  });

  test("reset-operator prints a password once, and an export makes an import elsewhere", {
    timeout: 60_000,
  }, async () => {
    const [from, to] = [emptyFolder(), emptyFolder()];
    const { out } = await run(["reset-operator"], { LIVEPLANE_DATA: from });
    expect(out).toMatch(/one-time password: \S{24}\n/);
    const file = join(from, "all.jsonl");
    expect(await run(["export", file], { LIVEPLANE_DATA: from })).toMatchObject({ code: 0 });
    const imported = await run(["import", file], { LIVEPLANE_DATA: to });
    expect(imported).toMatchObject({ code: 0, err: expect.stringContaining(`to ${join(to, "key-ring")}.`) });
    // What it says leads on: the copied ring opens what was imported.
    expect(await run(["reset-operator"], { LIVEPLANE_DATA: to })).toMatchObject({ code: 2 });
    copyFileSync(join(from, "key-ring"), join(to, "key-ring"));
    expect(await run(["reset-operator"], { LIVEPLANE_DATA: to })).toMatchObject({ code: 0 });
    const [copy, other] = [join(from, "copy.db"), emptyFolder()];
    expect(await run(["backup", copy], { LIVEPLANE_DATA: from })).toMatchObject({
      code: 0,
      err: expect.stringContaining("without its keys"),
    });
    expect(await run(["restore", copy], { LIVEPLANE_DATA: other })).toMatchObject({
      code: 0,
      err: expect.stringContaining(`copy the key ring of the original one to ${join(other, "key-ring")}.\n`),
    });
    // Without the keys that it was written with, what is restored stays shut.
    const shut = await run(["reset-operator"], { LIVEPLANE_DATA: other });
    expect([shut.code, shut.out]).toEqual([2, ""]);
    const twice = await run(["import", file], { LIVEPLANE_DATA: to });
    expect(twice.code).toBe(2);
    expect(twice.err).not.toMatch(/\n\s+at /);
  });
});

test("an origin may be given as it is copied from an address, with a slash", () => {
  expect(readOrigins("https://hooks.example/, http://127.0.0.1:4780")).toEqual({
    value: ["https://hooks.example", "http://127.0.0.1:4780"],
  });
  expect(readOrigins("https://hooks.example/in")).toHaveProperty("reason");
});
