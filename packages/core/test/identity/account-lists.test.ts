import { expect, test } from "vitest";
import { identityWorld, refusal } from "../builders/identity.ts";

async function setUp() {
  const world = await identityWorld();
  const operator = await world.operator();
  const [ada, bob] = [await world.person("ada"), await world.person("bob")];
  await world.registered("eve@example.com");
  await operator.api.accounts.suspend({ accountId: bob.account.id });
  const names = async (query: NonNullable<Parameters<typeof operator.api.accounts.list>[0]>) =>
    (await operator.api.accounts.list(query)).items.map(({ username, email }) => username ?? email).sort();
  return { operator: operator.api, ada, names };
}

test("operators find accounts by status, one or many", async () => {
  const { names } = await setUp();
  expect(await names({ status: "Suspended" })).toEqual(["bob"]);
  expect(await names({ status: ["Suspended", "Registered"] })).toEqual(["bob", "eve@example.com"]);
  expect(await names({})).toHaveLength(4);
});

test("operators find an account by its name or address, in any letters", async () => {
  const { names } = await setUp();
  expect(await names({ username: "ADA" })).toEqual(["ada"]);
  expect(await names({ email: "eve@EXAMPLE.com" })).toEqual(["eve@example.com"]);
  expect(await names({ email: "ada" })).toEqual([]);
  expect(await names({ username: "eve@example.com" })).toEqual([]);
  expect(await names({ username: "ada", email: "eve@example.com" })).toEqual([]);
  expect(await names({ username: "bob", status: "Active" })).toEqual([]);
});

test("an account that was deleted is found by who asks for it, until it is purged", async () => {
  const { operator, names, ada } = await setUp();
  await operator.accounts.delete({ accountId: ada.account.id });
  expect(await names({ status: "Deleted" })).toEqual(["ada"]);
  expect(await names({ username: "ada" })).toEqual([]);
  expect(await operator.accounts.get({ accountId: ada.account.id })).toMatchObject({ status: "Deleted" });
});

test("an operator reads of an account what it reads of itself", async () => {
  const { operator, ada } = await setUp();
  expect(await operator.accounts.get({ accountId: ada.account.id })).toEqual(await ada.api.accounts.me());
});

test("a cursor is good for its filter alone", async () => {
  const { operator } = await setUp();
  const { nextCursor } = await operator.accounts.list({ limit: 1 });
  const other = operator.accounts.list({ limit: 1, status: "Active", cursor: nextCursor ?? "" });
  expect(await refusal(other)).toMatchObject({ code: "InvalidCursor" });
});
