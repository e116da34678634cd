import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/operations/operations.ts";
import type { OperationId } from "../../src/contract/routes.ts";
import { calls } from "./calls.ts";
import { callers, otherCallers } from "./expected-answers.ts";
import { type Known, worldOfCallers } from "./world.ts";

const world = await worldOfCallers();
const base = await world.again();
const web = { type: "Personal", ownerId: world.known.owner ?? "", shortName: "web" } as const;
const own = base.as("owner");
await own.environments.create(web, { resourceGroups: [`Personal/${web.ownerId}/mine`] });
await own.environments.secrets.create(web, { shortName: "db", value: "päss" });
const { livesystemId, id } = await own.liveSystems.create({ name: "own", environmentId: web, components: [] });
const known: Known = { ...world.known, organization: web.ownerId, liveSystem: livesystemId, mutation: id };

/** The same calls on what lies in a personal scope. */
const personal = (args: readonly unknown[]): readonly unknown[] =>
  JSON.parse(JSON.stringify(args).replaceAll('"Organizational"', '"Personal"'));

/** What needs a right on something. Lists across all live systems or environments answer everybody with what they may see. */
const inScope = (Object.keys(operationsById) as OperationId[]).filter(
  (id) => /^(environments|liveSystems)\./.test(id) && !("who" in operationsById[id].access),
);
/** Who else might be thought to reach it: Admins of the owner's organization, operators, the owner's own grants to others. */
const others = callers.filter((who) => who !== "owner" && who !== "nobody");
const roles = otherCallers.filter((who) => !["disabled", "suspended", "mustChange"].includes(who));

test.each(inScope)("%s in a personal scope is its owner's alone", async (id) => {
  const args = personal(calls[id](known, "owner"));
  for (const who of others) expect([who, (await base.refusal(who, id, args))?.code]).toEqual([who, "NotFound"]);
  for (const who of roles) expect([who, (await base.refusal(who, id, args))?.code]).toEqual([who, "InsufficientScope"]);
  expect((await base.refusal("nobody", id, args))?.code).toBe("Unauthenticated");
});

test("its owner may do there what takes any right", async () => {
  for (const id of [
    ...(["environments.get", "environments.update", "environments.create", "environments.secrets.create"] as const),
    ...(["environments.secrets.get", "environments.secrets.reveal", "environments.secrets.delete"] as const),
    ...(["environments.serviceAccounts.assign", "liveSystems.get", "liveSystems.delete"] as const),
  ]) {
    const refusal = await base.refusal("owner", id, personal(calls[id](known, "owner")));
    expect([id, refusal?.code ?? "ok"]).toEqual([id, "ok"]);
  }
});
