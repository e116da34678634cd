import { readdir, readFile } from "node:fs/promises";
import {
  errorCodesOf,
  type Operation,
  type OperationId,
  operations,
  operationsById,
  parseRoute,
  routes,
} from "@liveplane/core/contract";
import { errorCodes } from "@liveplane/core/errors";
import { expect, test } from "vitest";
import { exampleBodies } from "../../src/contract/openapi/examples.ts";
import { idsByArea } from "../builders/ids-by-area.ts";

const ids = Object.keys(routes) as OperationId[];
const contract = new URL("../../src/contract/operations/", import.meta.url);

test("every route has a row at the place that its id names, and no row is without a route", () => {
  const found: string[] = [];
  const walk = (node: object, path: readonly string[]) => {
    for (const [name, value] of Object.entries(node)) {
      if ("id" in value && "access" in value) {
        expect(value.id).toBe([...path, name].join("."));
        found.push(value.id);
      } else walk(value, [...path, name]);
    }
  };
  walk(operations, []);
  expect(found.sort()).toEqual([...ids].sort());
});

test("a row takes a body exactly where its route says so", () => {
  for (const id of ids)
    expect([id, operationsById[id].body !== undefined]).toEqual([id, parseRoute(id).takes === "body"]);
});

/** What a list can't be asked for without. */
const required: Readonly<Partial<Record<OperationId, object>>> = {
  "environments.providerA.locations": { subscriptionId: "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041" },
  "environments.providerB.locations": { projectName: "demo" },
};

test("every list takes a cursor and a limit", () => {
  for (const id of ids.filter((id) => parseRoute(id).takes === "page")) {
    const { query } = operationsById[id];
    expect(query?.parse({ ...required[id], cursor: "c", limit: "10" }), id).toEqual({
      ...required[id],
      cursor: "c",
      limit: 10,
    });
  }
});

test("what a row says of itself is the first sentence of its TSDoc", async () => {
  const files = (await readdir(contract)).filter((name) => name.endsWith("-operations.ts"));
  const source = (await Promise.all(files.map((name) => readFile(new URL(name, contract), "utf8")))).join("\n");
  const documented = [
    ...source.matchAll(/\/\*\*\s*(?:\*\s*)?([^\n]*?)(?:\s*\*\/|\n[^/]*\*\/)\s*\w+: operation\(\s*"([\w.]+)"/g),
  ];
  const sentences = new Map(documented.map(([, sentence, id]) => [id, sentence]));
  for (const id of ids) {
    expect([id, sentences.get(id)]).toEqual([id, operationsById[id].summary]);
    expect(operationsById[id].summary.length, id).toBeLessThanOrEqual(100);
  }
});

test("deprecated operations name a successor that isn't deprecated, and say so in their TSDoc", async () => {
  const deprecated = ids.filter((id) => operationsById[id].deprecated !== undefined);
  expect(deprecated).toHaveLength(3);
  const source = await readFile(new URL("account-operations.ts", contract), "utf8");
  for (const id of deprecated) {
    const successor = operationsById[id].deprecated?.successor as OperationId;
    expect(operationsById[successor].deprecated).toBeUndefined();
    expect(source).toMatch(new RegExp(`@deprecated Use \`${successor}\`[^/]*\\*/\\s*\\w+: operation\\("${id}"`));
  }
});

test("what shows a secret once keeps nothing for repeated keys, and only that", () => {
  expect(ids.filter((id) => operationsById[id].secretResult === true).sort()).toEqual(
    idsByArea(`
      accounts                     issueServiceAccountSecret
      accounts.factors             addTotp issueRecoveryCodes
      accounts.webhooks            create issueSecret
      environments.secrets         reveal
      environments.serviceAccounts issueSecret
      organizations                issueServiceAccountSecret
      organizations.webhooks       create issueSecret
      sessions                     create createByCode authorize createByPasskey createByFactor
      tokens                       create
    `),
  );
});

test("the statuses of success are those of the published table", () => {
  const answering = (...status: number[]) =>
    ids.filter((id) => String(operationsById[id].success ?? [200]) === String(status)).sort();
  expect(answering(201)).toEqual(
    idsByArea(`
      accounts                     createWithCredentials createWithEmail issueServiceAccountSecret
      accounts.factors             addTotp beginPasskey addPasskey issueRecoveryCodes
      accounts.identities          authorize link
      accounts.webhooks            create issueSecret
      environments                 create
      environments.ciCdProfiles    create upsertMany
      environments.secrets         create upsertMany
      environments.serviceAccounts assign issueSecret federatedIdentities.create
      organizations                create issueServiceAccountSecret
      organizations.webhooks       create issueSecret
      sessions                     create createByCode authorize beginByPasskey createByPasskey createByFactor
      subscriptions                create
    `),
  );
  expect(answering(202)).toEqual(
    idsByArea(`
      accounts                          requestPasswordReset resendChallenge
      accounts.webhooks                 test deliveries.redeliver
      environments.providerA            authenticate cancel initialize
      environments.providerB            cancel initialize
      liveSystems                       create delete deploy
      organizations.webhooks            test deliveries.redeliver
    `),
  );
});

test("the codes that an operation may answer follow from its row", () => {
  const of = (id: OperationId) => errorCodesOf(operationsById[id]);
  expect(of("environments.get").has("NotFound")).toBe(true);
  expect(of("environments.get").has("InvalidJson")).toBe(false);
  expect(of("environments.create").has("IdempotencyInFlight")).toBe(true);
  expect(of("environments.secrets.reveal").has("IdempotencyInFlight")).toBe(false);
  expect(of("accounts.createWithEmail").has("Unauthenticated")).toBe(false);
  expect(of("accounts.activate").has("ChallengeInvalid")).toBe(true);
  expect(of("environments.update").has("PreconditionFailed")).toBe(true);
  for (const id of ids) for (const code of of(id)) expect(errorCodes).toHaveProperty(code);
});

test("examples are good input", () => {
  const examples = Object.entries(exampleBodies) as [OperationId, unknown][];
  expect(examples.length).toBeGreaterThan(5);
  for (const [id, example] of examples) {
    const { body } = operationsById[id] as Operation;
    expect(body, id).toBeDefined();
    expect(() => body?.parse(example), id).not.toThrow();
  }
});
