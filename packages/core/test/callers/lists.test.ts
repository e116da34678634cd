import { expect, test } from "vitest";
import type { Api } from "../../src/contract/api.ts";
import { callers, otherCallers } from "./expected-answers.ts";
import { worldOfCallers } from "./world.ts";

const world = await worldOfCallers();
const again = await world.again();
const { known } = world;
const organizationId = known.organization ?? "";

const of = (...names: string[]) =>
  names.flatMap((name) => ["View", "Edit", "Terminate", "Admin"].map((of) => name + of));
const inOrganization = [...of("org"), "owner", "grantedService"];
const inEnvironment = [...inOrganization, ...of("group"), "cloudAgent", "ciCd", "bot", "customEdit"];

/** Each list that anybody may ask for, what of the organization stands in it, and who sees that, written out by hand. */
const lists: Readonly<Record<string, readonly [(api: Api) => Promise<readonly string[]>, readonly string[]]>> = {
  organizations: [
    async (api) => (await api.organizations.list()).items.map(({ id }) => id).filter((id) => id === organizationId),
    [...inOrganization, ...of("group"), ...of("team")],
  ],
  "all of an organization": [
    async (api) =>
      (await api.organizations.list()).items.flatMap((one) =>
        "version" in one && one.id === organizationId ? [one.name ?? ""] : [],
      ),
    inOrganization,
  ],
  "its members": [
    async (api) => (await api.organizations.members.list({ organizationId })).items.map(() => "member").slice(0, 1),
    inOrganization,
  ],
  "its resource groups": [
    async (api) =>
      (await api.organizations.resourceGroups.list({ organizationId })).items.map(({ id }) => id.shortName),
    [...inOrganization, ...of("group")],
  ],
  "its teams": [
    async (api) => (await api.organizations.teams.list({ organizationId })).items.map(({ id }) => id.shortName),
    [...inOrganization, ...of("team")],
  ],
  "its members' permissions": [
    async (api) => (await api.organizations.permissions.list({ organizationId })).items.map(() => "grant").slice(0, 1),
    inOrganization,
  ],
  environments: [
    async (api) =>
      (await api.environments.list()).items
        .filter(({ id }) => id.ownerId === organizationId)
        .map(({ id }) => id.shortName),
    inEnvironment,
  ],
  "environments of the group": [
    async (api) => {
      const { items } = await api.environments.list({ resourceGroup: `Organizational/${organizationId}/tools` });
      return items.map(({ id }) => id.shortName);
    },
    inEnvironment,
  ],
  "live systems": [
    async (api) => (await api.liveSystems.list()).items.map(({ id }) => id).filter((id) => id === known.liveSystem),
    inEnvironment,
  ],
  "the health of live systems": [
    async (api) => (await api.liveSystems.health()).items.map(({ id }) => id).filter((id) => id === known.liveSystem),
    inEnvironment,
  ],
  overrides: [
    async (api) => (await api.overrides.list()).items.map(({ component }) => component.id),
    [...inEnvironment, "operator"],
  ],
  "the digest of overrides": [
    async (api) => (await api.overrides.digest()).items.flatMap(({ componentIds }) => componentIds),
    [...inEnvironment, "operator"],
  ],
};

const everybody = [...callers, ...otherCallers].filter(
  (who) => !["nobody", "disabled", "suspended", "mustChange"].includes(who),
);

test.each(Object.entries(lists))(
  "%s are listed for those who see them, and for nobody else",
  async (_, [read, seenBy]) => {
    const seeing: string[] = [];
    for (const who of everybody) {
      const items = await read(again.as(who)).catch(({ code }: { code: string }) => {
        expect(["NotFound", "InsufficientScope"]).toContain(code);
        return [];
      });
      if (items.length > 0) seeing.push(who);
      expect(items.length).toBeLessThan(2);
    }
    expect(seeing.sort()).toEqual([...seenBy].sort());
  },
);

test.each(["View", "Edit", "Terminate", "Admin"])(
  "what an organization says of itself to a holder of %s is the same",
  async (permission) => {
    const { teams, resourceGroups, admins, members } = await again
      .as(`org${permission}`)
      .organizations.get({ organizationId });
    expect({ teams, resourceGroups }).toEqual({
      teams: ["smiths"],
      resourceGroups: [`Organizational/${organizationId}/tools`],
    });
    expect([...admins].sort()).toEqual([known.owner, known.orgAdmin, known.suspended, known.mustChange].sort());
    expect(members).toContain(known.orgView);
  },
);
