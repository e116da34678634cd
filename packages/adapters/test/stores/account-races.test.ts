import { argon2Hasher } from "@liveplane/adapters/argon2-hasher";
import { joseTokens } from "@liveplane/adapters/jose-tokens";
import type { Api } from "@liveplane/core";
import { describe, expect, test } from "vitest";
import { webRuntime } from "../../../core/src/ports/web-runtime.ts";
import { identityWorld, otherPassword, password, refusal } from "../../../core/test/builders/identity.ts";
import { type RacingStores, racingStores } from "./racing-stores.ts";

const open = racingStores();

const plans = { discover: { accounts: 3, organizations: 1 }, workgroup: { accounts: 10, organizations: 1 } };

/** Control planes over one real store, with real hashes, tokens and time. Calls go to each of them in turn. */
async function realWorld(kind: keyof RacingStores) {
  const stores = await open[kind]();
  const hasher = await argon2Hasher({ memoryKiB: 1024, passes: 1 });
  const tokens = await joseTokens();
  const planes: Awaited<ReturnType<typeof identityWorld>>[] = [];
  for (const store of stores) {
    planes.push(await identityWorld({ plans }, undefined, { runtime: webRuntime(), store, hasher, tokens }));
  }
  const [first] = planes;
  if (first === undefined) throw new RangeError("There is no store.");
  const plane = (at: number) => planes[at % planes.length] ?? first;
  return { ...first, planes, plane, on: (at: number, token: string): Api => plane(at).bearer(token) };
}

const times = <T>(count: number, work: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));
const settled = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code: string }) => error.code,
  );
const account = (principalId: string, permissionType: "View" | "Admin") =>
  ({ principalType: "Account", principalId, permissionType }) as const;

describe.each(Object.keys(open) as (keyof RacingStores)[])("over %s", (kind) => {
  test("a plan's last place goes to one of many that want it", async () => {
    const { person, on } = await realWorld(kind);
    const ada = await person("ada");
    const { id: organizationId } = await ada.api.organizations.create({ name: "Works" });
    const others = await times(6, (at) => person(`other-${at}`));
    const outcomes = await Promise.all(
      others.map((other, at) =>
        settled(
          on(at, ada.tokens.accessToken).organizations.permissions.grant(
            { organizationId },
            account(other.account.id, "View"),
          ),
        ),
      ),
    );
    expect(outcomes.sort()).toEqual([...Array<string>(4).fill("SubscriptionLimitReached"), "done", "done"]);
    expect((await ada.api.organizations.get({ organizationId })).members).toHaveLength(3);
  });

  test("one organization is made where there is place for one", async () => {
    const { person, on } = await realWorld(kind);
    const { tokens, api } = await person("ada");
    const outcomes = await times(4, (at) =>
      settled(on(at, tokens.accessToken).organizations.create({ name: `o${at}` })),
    );
    expect(outcomes.sort()).toEqual([...Array<string>(3).fill("SubscriptionLimitReached"), "done"]);
    expect((await api.organizations.list()).items).toHaveLength(1);
  });

  test("of an organization's last two Admins one stays, revoked by the other or by themselves", async () => {
    const { person, on } = await realWorld(kind);
    const [ada, bob] = [await person("ada"), await person("bob")];
    const { id: organizationId } = await ada.api.organizations.create({ name: "Works" });
    const { permissions } = ada.api.organizations;
    for (let round = 0; round < 5; round++) {
      await permissions.grant({ organizationId }, account(bob.account.id, "Admin"));
      const outcomes = await Promise.all(
        [ada, bob].map((own, at) =>
          settled(
            on(at, own.tokens.accessToken).organizations.permissions.revoke(
              { organizationId },
              account(own.account.id, "Admin"),
            ),
          ),
        ),
      );
      expect([...outcomes].sort()).toEqual(["LastAdmin", "done"]);
      if (outcomes[0] === "done")
        await bob.api.organizations.permissions.grant({ organizationId }, account(ada.account.id, "Admin"));
    }
    const { admins } = await ada.api.organizations.get({ organizationId });
    expect(admins.length).toBeGreaterThan(0);
  });

  test("a cycle of teams that is made from all its ends at once is closed by none", async () => {
    const { person, on } = await realWorld(kind);
    const ada = await person("ada");
    const { id: organizationId } = await ada.api.organizations.create({ name: "Works" });
    const { teams } = ada.api.organizations;
    for (let round = 0; round < 5; round++) {
      const names = ["a", "b", "c"].map((name) => `${name}${round}`);
      const made = await Promise.all(names.map((shortName) => teams.upsert({ organizationId }, { shortName })));
      const outcomes = await times(3, (at) =>
        settled(
          on(at, ada.tokens.accessToken).organizations.teams.permissions.grant(
            { organizationId, shortName: names[at] ?? "" },
            { principalType: "Team", principalId: made[(at + 1) % 3]?.principalId ?? "", permissionType: "View" },
          ),
        ),
      );
      expect(outcomes.sort()).toEqual(["TeamCycle", "done", "done"]);
    }
  });

  test("of many activations with one challenge one wins", async () => {
    const { registered, on } = await realWorld(kind);
    const { challenge } = await registered("ada@example.com");
    const outcomes = await times(5, (at) => settled(on(at, challenge).accounts.activate({ password })));
    expect(outcomes.sort()).toEqual([...Array<string>(4).fill("ChallengeInvalid"), "done"]);
  });

  test("many guesses of a challenge at once have five tries together", async () => {
    const { registered, on, bearer } = await realWorld(kind);
    const { challenge, account: made } = await registered("ada@example.com");
    const guesses = await times(20, (at) =>
      settled(on(at, `${made.challenge}.x${at}`).accounts.activate({ password })),
    );
    expect(guesses).toEqual(Array(20).fill("ChallengeInvalid"));
    expect(await settled(bearer(challenge).accounts.activate({ password }))).toBe("ChallengeInvalid");
  });

  test("of many refreshes with one token one is answered, and the family ends", async () => {
    const { person, plane, bearer } = await realWorld(kind);
    const { tokens } = await person("ada");
    const refresh_token = tokens.refreshToken;
    const given = await times(5, (at) =>
      plane(at)
        .nobody.tokens.create({ grant_type: "refresh_token", refresh_token })
        .catch(() => null),
    );
    const good = given.filter((one) => one !== null);
    expect(good).toHaveLength(1);
    expect((await refusal(bearer(good[0]?.access_token ?? "").accounts.me())).code).toBe("TokenRevoked");
    const next = good[0]?.refresh_token ?? "";
    const again = plane(0).nobody.tokens.create({ grant_type: "refresh_token", refresh_token: next });
    expect(await settled(again)).toBe("InvalidCredentials");
  });

  test("many guesses at once end in a lock; many right sign-ins at once don't", async () => {
    const { person, plane } = await realWorld(kind);
    await person("ada");
    expect(await times(8, (at) => settled(plane(at).signIn("ada")))).toEqual(Array(8).fill("done"));
    expect(await times(20, (at) => settled(plane(at).signIn("ada", `a wrong guess ${at}`)))).toEqual(
      Array(20).fill("InvalidCredentials"),
    );
    expect(await times(3, (at) => settled(plane(at).signIn("ada")))).toEqual(Array(3).fill("InvalidCredentials"));
  });

  test("a right guess among more wrong ones than there are tries is right only while there are tries", async () => {
    const { person, plane } = await realWorld(kind);
    await person("ada");
    await times(5, (at) => settled(plane(at).signIn("ada", `a wrong guess ${at}`)));
    const late = await times(10, (at) => settled(plane(at).signIn("ada", at === 7 ? password : `wrong again ${at}`)));
    expect(late).toEqual(Array(10).fill("InvalidCredentials"));
  });

  test("of two password changes at once one wins", async () => {
    const { person, signIn, on } = await realWorld(kind);
    const { tokens } = await person("ada");
    const wishes = [otherPassword, `${otherPassword}-2`];
    const outcomes = await Promise.all(
      wishes.map((newPassword, at) =>
        settled(on(at, tokens.accessToken).accounts.changePassword({ oldPassword: password, newPassword })),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    await expect(signIn("ada", wishes[outcomes.indexOf("done")])).resolves.toBeDefined();
  });

  test("of many that want one address, name or service account at once one makes it", async () => {
    const { plane, host, person, on } = await realWorld(kind);
    await times(4, (at) => plane(at).nobody.accounts.createWithEmail({ email: "ada@example.com" }));
    const names = await times(4, (at) =>
      settled(plane(at).host.accounts.createWithCredentials({ username: "grace", password })),
    );
    expect(names.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect((await host.accounts.list()).items.filter(({ email }) => email !== null)).toHaveLength(1);
    const { tokens } = await person("ada");
    const made = await times(4, (at) => on(at, tokens.accessToken).accounts.serviceAccount());
    expect(new Set(made.map(({ serviceAccountId }) => serviceAccountId)).size).toBe(1);
  });
});
