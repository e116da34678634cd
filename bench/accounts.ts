import { createMongoAbility, type MongoAbility, subject } from "@casl/ability";
import type { Permission } from "../packages/core/src/contract/row.ts";
import { LiveplaneError } from "../packages/core/src/errors.ts";
import type { GrantEntry, GraphEntry } from "../packages/core/src/permissions/grants.ts";
import { graphOf, type PermissionGraph } from "../packages/core/src/permissions/permission-graph.ts";
import { decide, implied, scopeOf } from "../packages/core/src/permissions/permissions.ts";
import { mulberry32 } from "../packages/core/src/testing/fake-runtime.ts";
import type { Bench, Comparison } from "./harness.ts";

/** Permission decisions over 100,000 grants: ours with explanations, against peers that only answer yes or no. */
export const bench: Bench = {
  name: "accounts",
  async run({ quick, compare }) {
    const grants = grantsOf(quick ? 10 : 100);
    const questions = questionsOf(grants, quick ? 1_000 : 20_000);
    const graphs = graphsFrom(grants);
    const fresh = decideAfresh(graphs);
    const remembered = decideRemembered(graphs);
    const map = nestedMap(grants);
    const casl = abilities(grants);
    requireAgreement(questions, [remembered, fresh, map, casl]);
    const time = (name: string, allows: Allows, goal?: number) => ({
      name,
      count: questions.length,
      work: () => questions.reduce((allowed, question) => allowed + Number(allows(question)), 0),
      ...(goal !== undefined && { goal }),
    });
    const race = (what: string, ours: Allows): Comparison => ({
      what,
      ours: time("liveplane", ours),
      peers: [
        time("a nested Map, no explanation", map, ours === remembered ? 0.3 : undefined),
        time("CASL with conditions", casl, ours === remembered ? 5 : undefined),
      ],
      unit: "decisions/s",
    });
    return [
      ...(await compare(race("decision with its explanation", remembered))),
      ...(await compare(race("the same, without a cache", fresh))),
    ];
  },
};

interface PlainGrant {
  readonly organization: string;
  readonly person: string;
  readonly group: string;
  readonly permission: Permission;
}

interface Question extends PlainGrant {}

type Allows = (question: Question) => boolean;

const permissions: readonly Permission[] = ["Admin", "Edit", "Terminate", "View"];
const groupsEach = 20;
const peopleEach = 50;

/** A thousand grants for each organization: every member has something on each of its groups. */
function grantsOf(organizations: number): PlainGrant[] {
  const chance = mulberry32(1);
  const grants: PlainGrant[] = [];
  for (let organization = 0; organization < organizations; organization++) {
    for (let person = 0; person < peopleEach; person++) {
      for (let group = 0; group < groupsEach; group++) {
        const permission = permissions[Math.floor(chance() * permissions.length)] ?? "View";
        grants.push({
          organization: `o${organization}`,
          person: `o${organization}-p${person}`,
          group: `g${group}`,
          permission,
        });
      }
    }
  }
  return grants;
}

function questionsOf(grants: readonly PlainGrant[], count: number): Question[] {
  const chance = mulberry32(2);
  const any = <T>(of: readonly T[]): T => of[Math.floor(chance() * of.length)] as T;
  return Array.from({ length: count }, () => ({
    ...any(grants),
    group: `g${Math.floor(chance() * groupsEach)}`,
    permission: any(permissions),
  }));
}

function graphsFrom(grants: readonly PlainGrant[]): ReadonlyMap<string, PermissionGraph> {
  const entries = new Map<string, GraphEntry[]>();
  for (const { organization: organizationId, person: principalId, group, permission: permissionType } of grants) {
    const grant: GrantEntry = {
      kind: "grant",
      organizationId,
      scope: scopeOf.group(group),
      principalType: "Account",
      principalId,
      permissionType,
      grantedAt: 0,
      isPerson: true,
    };
    const own = entries.get(organizationId) ?? [];
    if (own.length === 0) entries.set(organizationId, own);
    own.push(grant);
  }
  return new Map([...entries].map(([id, own]) => [id, graphOf(id, own)]));
}

/** As the service decides, with reasons and with caching while the organization's grants stay the same. */
function decideRemembered(graphs: ReadonlyMap<string, PermissionGraph>): Allows {
  return ({ organization, person, group, permission }) => {
    const graph = graphs.get(organization);
    return graph?.decide(person, graph.inGroups([group])).permissions.includes(permission) === true;
  };
}

function decideAfresh(graphs: ReadonlyMap<string, PermissionGraph>): Allows {
  return ({ organization, person, group, permission }) => {
    const graph = graphs.get(organization);
    return graph !== undefined && decide(graph, person, graph.inGroups([group])).permissions.includes(permission);
  };
}

function nestedMap(grants: readonly PlainGrant[]): Allows {
  const map = new Map<string, Map<string, Map<string, Set<Permission>>>>();
  for (const { organization, person, group, permission } of grants) {
    const people = map.get(organization) ?? new Map<string, Map<string, Set<Permission>>>();
    const groups = people.get(person) ?? new Map<string, Set<Permission>>();
    map.set(organization, people);
    people.set(person, groups);
    groups.set(group, new Set(implied[permission]));
  }
  return ({ organization, person, group, permission }) =>
    map.get(organization)?.get(person)?.get(group)?.has(permission) === true;
}

function abilities(grants: readonly PlainGrant[]): Allows {
  const rules = new Map<string, { action: Permission[]; subject: string; conditions: object }[]>();
  for (const { organization, person, group, permission } of grants) {
    const own = rules.get(person) ?? [];
    if (own.length === 0) rules.set(person, own);
    own.push({ action: [...implied[permission]], subject: "Group", conditions: { organization, group } });
  }
  const byPerson = new Map<string, MongoAbility>([...rules].map(([person, own]) => [person, createMongoAbility(own)]));
  return ({ organization, person, group, permission }) =>
    byPerson.get(person)?.can(permission, subject("Group", { organization, group })) === true;
}

function requireAgreement(questions: readonly Question[], candidates: readonly Allows[]): void {
  for (const question of questions) {
    if (new Set(candidates.map((allows) => allows(question))).size > 1) {
      throw new LiveplaneError(
        "InternalError",
        "The candidates don't give the same answers: their times can't be compared.",
      );
    }
  }
}
