import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/operations/operations.ts";
import { type OperationId, parseRoute } from "../../src/contract/routes.ts";
import { LiveplaneError } from "../../src/errors.ts";
import { namingWhatIsMissing } from "../../src/transport/what-is-missing.ts";
import { calls } from "./calls.ts";
import { vnet, worldOfCallers } from "./world.ts";

const world = await worldOfCallers();
const { known } = world;
const base = await world.again();
const ids = Object.keys(operationsById) as OperationId[];
/** What is asked for by name. */
const byName = ids.filter((id) => parseRoute(id).params.length > 0 && id !== "accounts.activateById");
const messageOf = async (who: "stranger" | "orgAdmin", id: OperationId, args: readonly unknown[]) => {
  const refusal = await base.refusal(who, id, args);
  return refusal?.code === "NotFound" ? refusal.message : null;
};

test("what isn't found is named, and a hidden thing in the same words as a missing one", async () => {
  const at = { type: "Organizational", ownerId: known.organization, shortName: "nope" };
  const words = `environment Organizational/${known.organization}/nope, or you may not view it.`;
  for (const who of ["stranger", "orgAdmin"] as const) {
    expect(await messageOf(who, "environments.get", [at])).toBe(`There is no ${words}`);
    const secret = [{ ...at, secretShortName: "db" }];
    expect(await messageOf(who, "environments.secrets.get", secret)).toBe(`There is no secret db of the ${words}`);
  }
});

test("what can't be created names its owner, for there is nothing else to be found", async () => {
  const organizationId = "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041";
  const web = { type: "Organizational", ownerId: organizationId, shortName: "web" };
  const words = (thing: string) =>
    `There is no organization ${organizationId}, or you may not view it or its ${thing}.`;
  expect(await messageOf("stranger", "environments.create", [web, { description: "" }])).toBe(
    words(`environment Organizational/${organizationId}/web`),
  );
  const group = [{ organizationId, shortName: "edge" }, {}];
  expect(await messageOf("orgAdmin", "organizations.resourceGroups.upsert", group)).toBe(words("resource group edge"));
});

test("no operation refuses a stranger without the name of what isn't found", async () => {
  const bare: string[] = [];
  for (const id of byName) {
    const message = await messageOf("stranger", id, calls[id](known, "stranger"));
    if (message !== null && !/^(There is no|The account has no) .+\.$/.test(message)) bare.push(`${id}: ${message}`);
    if (message?.includes("such thing")) bare.push(`${id}: ${message}`);
  }
  expect(bare).toEqual([]);
});

test("no operation's path names something without a word for it, and no odd name is repeated", () => {
  for (const id of byName) {
    const sent = Object.fromEntries(parseRoute(id).params.map((name) => [name, "a\u001b[31m b"]));
    const { message } = namingWhatIsMissing(new LiveplaneError("NotFound"), { operation: id, params: sent }) as Error;
    expect([id, message]).toEqual([id, expect.not.stringMatching(/such thing|\[31m|Not found/)]);
  }
});

test.each(["accounts.list", "subscriptions.list"] as const)("%s says that it is for operators", async (id) => {
  expect(await base.refusal("orgAdmin", id, calls[id](known, "orgAdmin"))).toMatchObject({
    code: "PermissionDenied",
    message: "Only operators may do this.",
  });
});

test("a declaration that refers to a secret that isn't there names it, and the component that refers to it", async () => {
  const parameters = { location: "westeurope", addressSpace: "10.0.0.0/16", key: { $secret: "nope" } };
  const components = [{ ...vnet, path: "net/core", parameters }];
  const environmentId = { type: "Organizational", ownerId: known.organization, shortName: "web" };
  const refusal = await base.refusal("orgAdmin", "liveSystems.plan", [{ name: "x", environmentId, components }]);
  expect(refusal).toMatchObject({
    code: "InvalidDeclaration",
    message: "The environment has no secret nope, which net/core refers to.",
  });
});
