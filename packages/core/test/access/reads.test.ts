import { expect, test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { identityWorld } from "../builders/identity.ts";
import { toAccount } from "../builders/principals.ts";

/** What decides about an environment of an organization, and is shown of it. */
const deciding = ["environment", "authorization", "session and account"];

/**
 * A world in which every read of the store is written down: a get by the kinds that it asks for, a list by its kind. A store that is a
 * journey away can recall, though this one recalls nothing.
 */
async function watched({ isAway = false } = {}) {
  const store = memoryStore({ now: () => Date.UTC(2026, 0, 1) });
  const reads: string[] = [];
  const kindOf = ([, kind = ""]: readonly string[]) => kind;
  const counted: Store = {
    ...store,
    ...(isAway && { recall: (keys) => keys.map(() => undefined) }),
    get(keys, options) {
      reads.push(keys.map(kindOf).join(" and "));
      return store.get(keys, options);
    },
    list(range) {
      reads.push(`all ${kindOf(range.prefix)}`);
      return store.list(range);
    },
  };
  const world = await identityWorld({}, undefined, { store: counted });
  const { api, account } = await world.person("ada");
  const { id: organizationId } = await api.organizations.create({ name: "Works" });
  const web = { type: "Organizational", ownerId: organizationId, shortName: "web" } as const;
  await api.environments.create(web, {});
  /** What a call reads until its handler begins: who calls, and whether they may. */
  async function readsOf(call: () => Promise<unknown>) {
    // Until the mails have gone that what was before has caused.
    await world.settle();
    reads.length = 0;
    await call();
    return [...reads];
  }
  return { world, api, account, organizationId, web, readsOf };
}

test("who calls is one read, whether they may another, as long as nothing is granted", async () => {
  const { api, organizationId, web, readsOf } = await watched();
  await api.environments.get(web);
  const [who, where, may, ...handler] = await readsOf(() => api.environments.get(web));
  expect([who, where, may]).toEqual(["session and account", "environment", "authorization"]);
  expect(handler).toEqual(["environment"]);
  const [identity, decision] = await readsOf(() => api.organizations.permissions.list({ organizationId }));
  expect([identity, decision]).toEqual(["session and account", "authorization"]);
});

test("a store that is a journey away is asked for it all at the same time, and for nothing twice", async () => {
  const { api, account, organizationId, web, readsOf } = await watched({ isAway: true });
  await api.environments.get(web);
  expect(await readsOf(() => api.environments.get(web))).toEqual(deciding);
  const [identity, decision] = await readsOf(() => api.organizations.permissions.list({ organizationId }));
  expect([identity, decision]).toEqual(["session and account", "authorization"]);
  const own = { ...web, type: "Personal", ownerId: account.id } as const;
  await api.environments.create(own, {});
  const [first, second, third, ...change] = await readsOf(() => api.environments.update(own, { name: "Own" }));
  expect([first, second, third]).toEqual(["environment", "subscription", "session and account"]);
  // When the body has come, it is read again.
  expect(change).toContain("environment");
});

test.each([{ isAway: false }, { isAway: true }])(
  "after a grant the organization's grants are read once more, and once only (away: $isAway)",
  async (place) => {
    const { api, organizationId, web, readsOf } = await watched(place);
    const colleague = toAccount("bob@example.com", "View");
    const before = await readsOf(() => api.environments.get(web));
    await api.organizations.permissions.grant({ organizationId }, colleague);
    const first = await readsOf(() => api.environments.get(web));
    expect(first.filter((read) => read === "all graph-entry")).toHaveLength(1);
    const second = await readsOf(() => api.environments.get(web));
    expect(second).toEqual(first.filter((read) => read !== "all graph-entry"));
    expect(second).toEqual(before.filter((read) => read !== "all graph-entry"));
  },
);

test("a list decides once for all that is in the same groups", async () => {
  const { api, organizationId, web, readsOf } = await watched();
  for (const shortName of ["api", "jobs"]) await api.environments.create({ ...web, shortName }, {});
  const query = { ownerId: organizationId };
  await api.environments.list(query);
  expect(await readsOf(() => api.environments.list(query))).toEqual([
    "session and account",
    "all graph-entry",
    "all environment",
    "environment and environment and environment",
    "authorization",
  ]);
});

test("a list of somebody in many organizations asks once which of them have environments", async () => {
  const { api, readsOf } = await watched();
  const made = [];
  for (const name of ["Mill", "Forge", "Dock"]) made.push(await api.organizations.create({ name }));
  expect(await readsOf(() => api.environments.list())).toEqual([
    "session and account",
    "all graph-entry",
    "use and use and use and use and use",
    "all environment",
    "environment",
    "authorization",
  ]);
  await api.environments.create({ type: "Organizational", ownerId: made[2]?.id ?? "", shortName: "crane" }, {});
  expect((await api.environments.list()).items.map(({ id }) => id.shortName)).toEqual(["crane", "web"]);
});

test.each([{ isAway: false }, { isAway: true }])(
  "neither a list nor a GET shows what a revoke took away, however often it was shown before (away: $isAway)",
  async (place) => {
    const { world, api, organizationId, web } = await watched(place);
    const { api: colleague, account } = await world.person("bob");
    const grant = toAccount(account.id, "View");
    const namesSeen = async () => (await colleague.environments.list()).items.map(({ id }) => id.shortName);
    for (let round = 0; round < 2; round++) {
      await api.organizations.permissions.grant({ organizationId }, grant);
      expect(await namesSeen()).toEqual(["web"]);
      expect(await namesSeen()).toEqual(["web"]);
      expect(await colleague.environments.get(web)).toMatchObject({ id: web });
      await api.organizations.permissions.revoke({ organizationId }, grant);
      expect(await namesSeen()).toEqual([]);
      await expect(colleague.environments.get(web)).rejects.toMatchObject({ code: "NotFound" });
    }
  },
);
