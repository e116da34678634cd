import fc from "fast-check";
import { expect, test } from "vitest";
import type { Permission } from "../../src/contract/row.ts";
import type { GraphEntry } from "../../src/permissions/grants.ts";
import { graphOf, type PermissionGraph } from "../../src/permissions/permission-graph.ts";
import { closure, type GrantScope, scopeOf } from "../../src/permissions/permissions.ts";
import { judgeNesting, longestChain } from "../../src/tenancy/team-nesting.ts";
import { oracle, type PlainGrant } from "../builders/permission-oracle.ts";
import { failure, tenantsWorld } from "../builders/tenants.ts";

const permission = fc.constantFrom<Permission>("Admin", "Edit", "Terminate", "View");
const accounts = ["a", "b", "c", "d"];
const teams = Array.from({ length: 12 }, (_, at) => `t:${at}`);
const groups = ["g:x", "g:y"];
const plainGrant = fc.record({
  on: fc.constantFrom("", ...groups, ...teams),
  to: fc.constantFrom(...accounts, ...teams),
  permission,
});
const privates = fc.subarray(teams);

function scope(on: string): GrantScope {
  if (on === "") return "organization";
  return on.startsWith("t:") ? scopeOf.team(on) : scopeOf.group(on);
}

/** The graph of some grants, with teams nested only as far as they may be. */
function graphFrom(
  plain: readonly PlainGrant[],
  isPrivate: ReadonlySet<string>,
): { graph: PermissionGraph; grants: PlainGrant[] } {
  const nodes: GraphEntry[] = [
    ...teams.map(
      (id) =>
        ({ kind: "team", organizationId: "o", principalId: id, shortName: id, isPrivate: isPrivate.has(id) }) as const,
    ),
    ...groups.map((id) => ({ kind: "group", organizationId: "o", shortName: id }) as const),
  ];
  const entries: Extract<GraphEntry, { kind: "grant" }>[] = [];
  const grants: PlainGrant[] = [];
  for (const grant of plain) {
    const principalType = grant.to.startsWith("t:") ? "Team" : "Account";
    const nests = grant.on.startsWith("t:") && principalType === "Team";
    if (nests && judgeNesting(entries, grant.on, grant.to) !== "fits") continue;
    grants.push(grant);
    entries.push({
      kind: "grant",
      organizationId: "o",
      scope: scope(grant.on),
      principalType,
      principalId: grant.to,
      permissionType: grant.permission,
      grantedAt: entries.length,
      isPerson: principalType === "Account",
    });
  }
  return { graph: graphOf("o", [...nodes, ...entries]), grants };
}

function placeOf(graph: PermissionGraph, on: string) {
  if (on === "") return graph.organization;
  const team = graph.teams.get(on);
  return team ? graph.team(team) : graph.inGroups([on]);
}

test("decides as a naive search does, for every principal everywhere", () => {
  fc.assert(
    fc.property(fc.array(plainGrant, { maxLength: 40 }), privates, (plain, hidden) => {
      const isPrivate = new Set(hidden);
      const { graph, grants } = graphFrom(plain, isPrivate);
      for (const who of [...accounts, ...teams]) {
        for (const on of ["", ...groups, ...teams]) {
          const expected = oracle(grants, isPrivate, who, on);
          expect(new Set(graph.decide(who, placeOf(graph, on)).permissions)).toEqual(expected);
        }
      }
    }),
    { seed: 4, numRuns: 60 },
  );
});

test("explains every right by grants that are there, through teams that are each a member of the next", () => {
  fc.assert(
    fc.property(fc.array(plainGrant, { maxLength: 40 }), privates, (plain, hidden) => {
      const { graph } = graphFrom(plain, new Set(hidden));
      for (const who of accounts) {
        for (const on of ["", ...groups, ...teams]) {
          const { permissions, because } = graph.decide(who, placeOf(graph, on));
          expect(closure(because.map(({ permissionType }) => permissionType))).toEqual(permissions);
          for (const { via, principalId, scope: at, permissionType } of because) {
            const chain = [who, ...via];
            expect(chain.at(-1)).toBe(principalId);
            expect(graph.on(at, principalId).some((grant) => grant.permissionType === permissionType)).toBe(true);
            for (const [step, team] of via.entries())
              expect(graph.on(scopeOf.team(team), chain[step] ?? "").length).toBeGreaterThan(0);
          }
        }
      }
    }),
    { seed: 5, numRuns: 60 },
  );
});

test("gives what is in several groups the union of what each gives", () => {
  fc.assert(
    fc.property(fc.array(plainGrant, { maxLength: 30 }), (plain) => {
      const { graph } = graphFrom(plain, new Set());
      for (const who of accounts) {
        const each = groups.flatMap((group) => graph.decide(who, graph.inGroups([group])).permissions);
        expect(graph.decide(who, graph.inGroups(groups)).permissions).toEqual(closure(each));
      }
    }),
    { seed: 6, numRuns: 60 },
  );
});

test("never lets teams stand in a cycle or in a chain of more than ten", () => {
  const edge = fc.tuple(fc.constantFrom(...teams), fc.constantFrom(...teams));
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 60 }), (edges) => {
      const { graph } = graphFrom(
        edges.map(([on, to]) => ({ on, to, permission: "View" })),
        new Set(),
      );
      const depth = (team: string, seen: readonly string[]): number => {
        expect(seen).not.toContain(team);
        const outer = graph.scopesOf(team).map((at) => at.slice("team/".length));
        return 1 + Math.max(0, ...outer.map((next) => depth(next, [...seen, team])));
      };
      for (const team of teams) expect(depth(team, [])).toBeLessThanOrEqual(longestChain);
    }),
    { seed: 7, numRuns: 100 },
  );
});

test("lists exactly what may be viewed, after any grants and revokes", async () => {
  const step = fc.record({
    revoke: fc.boolean(),
    on: fc.constantFrom("", "g:x", "g:y", "t:p", "t:q", "t:r"),
    to: fc.constantFrom("bob", "carol", "t:p", "t:q", "t:r"),
    permission,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { person } = tenantsWorld();
      const people = { alice: await person("alice"), bob: await person("bob"), carol: await person("carol") };
      const { api } = people.alice;
      const { id: organizationId } = await api.organizations.create({ name: "Acme" });
      const ids: Record<string, string> = { alice: people.alice.id, bob: people.bob.id, carol: people.carol.id };
      for (const name of ["r", "p", "q"]) {
        ids[`t:${name}`] = (
          await api.organizations.teams.upsert({ organizationId }, { shortName: name, isPrivate: name === "r" })
        ).principalId;
      }
      for (const shortName of ["y", "x"])
        await api.organizations.resourceGroups.upsert({ organizationId, shortName }, {});
      let grants: PlainGrant[] = ["", "g:x", "g:y", "t:p", "t:q", "t:r"].map((on) => ({
        on,
        to: "alice",
        permission: "Admin",
      }));
      for (const { revoke, on, to, permission: permissionType } of steps) {
        const [kind, shortName = ""] = on.split(":");
        const area = {
          "": api.organizations.permissions,
          g: api.organizations.resourceGroups.permissions,
          t: api.organizations.teams.permissions,
        }[kind as "g"];
        const body = {
          principalType: to.startsWith("t:") ? "Team" : "Account",
          principalId: ids[to] ?? "",
          permissionType,
        } as const;
        const failed = await failure(area[revoke ? "revoke" : "grant"]({ organizationId, shortName }, body));
        grants = grants.filter((grant) => grant.on !== on || grant.to !== to || grant.permission !== permissionType);
        if (!revoke && failed === "nothing failed") grants.push({ on, to, permission: permissionType });
      }
      const views = (who: string, on: string) => oracle(grants, new Set(["t:r"]), who, on).has("View");
      for (const who of ["bob", "carol"] as const) {
        const own = people[who].api;
        const sees = (await own.organizations.list()).items;
        const isGuest = ["g:x", "g:y", "t:p", "t:q", "t:r"].some((on) => views(who, on));
        if (views(who, "")) expect(sees).toMatchObject([{ id: organizationId, status: expect.any(String) }]);
        else
          expect(sees).toEqual(
            isGuest ? [{ id: organizationId, name: "Acme", icon: null, needsSecondFactor: false }] : [],
          );
        const inList = async (list: Promise<{ items: { id: { shortName: string } }[] }>) =>
          (await list.catch(() => ({ items: [] }))).items.map(({ id }) => id.shortName);
        expect(await inList(own.organizations.teams.list({ organizationId }))).toEqual(
          ["p", "q", "r"].filter((name) => views(who, `t:${name}`)),
        );
        expect(await inList(own.organizations.resourceGroups.list({ organizationId }))).toEqual(
          ["x", "y"].filter((name) => views(who, `g:${name}`)),
        );
        for (const name of ["p", "q", "r"]) {
          const got = await failure(own.organizations.teams.get({ organizationId, shortName: name }));
          expect(got).toBe(views(who, `t:${name}`) ? "nothing failed" : "NotFound");
        }
      }
    }),
    { seed: 8, numRuns: 25 },
  );
});
