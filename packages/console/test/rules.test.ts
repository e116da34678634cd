import type { Api } from "@liveplane/client";
import { describe, expect, test } from "vitest";
import { lasted, relativeTime } from "../src/app/clock.ts";
import { initialsOf } from "../src/app/names.ts";
import {
  ageGroupOf,
  type BoardOverride,
  changedPlaces,
  fitting,
  laneOf,
  tellingApart,
} from "../src/board/override-lanes.ts";
import { inGroups, inOrder } from "../src/board/override-order.ts";
import { cloudPage } from "../src/component/cloud-page.ts";
import { valueRows } from "../src/component/declared-values.ts";
import { deployed } from "../src/component/deployed.ts";
import { historyEntries } from "../src/component/history-entries.ts";
import {
  type DeployedDefinition,
  parametersText,
  withKept,
  withMuted,
  withParameters,
} from "../src/component/keep-changes.ts";
import { createKeeping } from "../src/component/keeping.ts";
import { countsOf, type SystemHealth, totalOf, troublesIn } from "../src/overview/fleet-health.ts";
import { foundEntries } from "../src/palette/found-entries.ts";
import { typedText } from "../src/parts/typed-text.ts";
import { liveSystemTexts } from "../src/texts/live-system-texts.ts";

describe("a lane", () => {
  test.each([
    ["ManualOverride", "management-tag", "taken"],
    ["ManualOverride", null, "taken"],
    ["ManualOverride", "reconcile-tag", "awaiting"],
    ["ManualOverride", "redeploy", "missing"],
    ["ReconcileRequested", null, "requested"],
    ["ReconcileRequested", "reconcile-tag", "requested"],
  ] as const)("of %s that awaits %s is %s", (status, awaiting, lane) => {
    expect(laneOf({ status, override: { awaiting } })).toBe(lane);
  });
});

test("the board narrows by all words, wherever they stand, by environment and by lane, and keeps the order", () => {
  const conditions = { exists: { value: true } };
  const one = (id: string, name: string, drift: object, owner: string | null = null) =>
    ({
      component: {
        id: `5f/${id}`,
        type: "Microsoft.Web/sites",
        status: "ManualOverride",
        outputFields: { drift },
        muteDrift: [],
        conditions,
      },
      override: { awaiting: null, said: owner && { owner }, reason: null, ticket: "OPS-7", takenOverBy: null },
      environmentId: { type: "Personal", ownerId: "0a", shortName: name },
    }) as unknown as BoardOverride;
  const all = [one("web", "dev", { workers: {} }), one("db", "prod", { size: {} }, "Ada"), one("cache", "prod", {})];
  const found = (words: string, environment = "", lane = "") =>
    fitting(all, { words, environment, lane }, (text) => text.replace("5f", "shop")).map(({ component }) =>
      component.id.slice(3),
    );
  expect(found("")).toEqual(["web", "db", "cache"]);
  expect(found(" ops-7  SITES ")).toEqual(["web", "db", "cache"]);
  expect(found("workers")).toEqual(["web"]);
  expect(found("shop/web")).toEqual(["web"]);
  expect(found("ada size")).toEqual(["db"]);
  expect(found("ada workers")).toEqual([]);
  expect(found("", "Personal/0a/prod")).toEqual(["db", "cache"]);
  expect(found("", "", "missing")).toEqual([]);
});

test("the differing places are as deep as both sides have members, with both values, and say whether they are muted", () => {
  const drift = {
    siteConfig: {
      declared: { tls: "1.2", scale: { min: 1, max: 3 } },
      actual: { tls: "1.2", scale: { min: 9, max: 3 } },
    },
    tags: { declared: ["a"], actual: ["b"] },
    plan: { declared: { name: "P1" }, actual: null },
  };
  const places = (outputFields: object, value = true) =>
    changedPlaces({
      outputFields,
      muteDrift: ["tags"],
      conditions: { exists: { value } },
    } as unknown as BoardOverride["component"]);
  expect(places({ drift })).toEqual([
    { place: "/siteConfig/scale/min", declared: 1, actual: 9, isMuted: false },
    { place: "/tags", declared: ["a"], actual: ["b"], isMuted: true },
    { place: "/plan", declared: { name: "P1" }, actual: null, isMuted: false },
  ]);
  expect(places({})).toEqual([]);
  expect(places({ drift }, false)).toEqual([]);
});

test("the fleet's health is what somebody on call distinguishes, and says who needs somebody", () => {
  const succeeded = { id: "m", kind: "Deploy", status: "Succeeded" } as const;
  const system = (counts: SystemHealth["counts"], lastMutation: SystemHealth["lastMutation"] = succeeded) =>
    ({ counts, lastMutation }) as SystemHealth;
  const [well, taken] = [system({ InSync: 2, Working: 1 }), system({ InSync: 1, Overridden: 2, Held: 1 })];
  const broken = system({ Failing: 1, Blocked: 1, Missing: 1, Uncorrectable: 1 });
  expect(countsOf([well, taken, broken])).toEqual({
    inSync: 3,
    busy: 1,
    drifted: 0,
    taken: 3,
    blocked: 1,
    failing: 2,
    missing: 1,
  });
  expect(totalOf(countsOf([well, taken, broken]))).toBe(11);
  const failed = (counts: SystemHealth["counts"], kind: "Deploy" | "Delete" = "Deploy") =>
    troublesIn(system(counts, { ...succeeded, kind, status: "Failed" }));
  expect([well, taken, broken].map(troublesIn)).toEqual([0, 0, 3]);
  // Once all is as declared, or taken over, the agent has finished what the deploy couldn't.
  expect([failed({ InSync: 1, Working: 1 }), failed({ InSync: 2 }), failed({ InSync: 2 }, "Delete")]).toEqual([
    1, 0, 1,
  ]);
  expect(failed({ InSync: 1, Overridden: 1, Held: 1 })).toBe(0);
});

describe("the table", () => {
  const now = Date.parse("2026-03-20T12:00:00Z");
  const one = (path: string, since: string, name: string, owner: string | null) =>
    ({
      component: { id: `5f/${path}`, livesystemId: "5f", status: "ManualOverride" },
      override: { awaiting: null, since: `2026-03-${since}T00:00:00Z`, said: owner && { owner }, takenOverBy: null },
      environmentId: { type: "Personal", ownerId: "0a", shortName: name },
    }) as unknown as BoardOverride;
  const all = [one("web", "01", "prod", null), one("db", "16", "dev", "grace"), one("cache", "20", "prod", "ada")];
  const around = { named: (text: string) => text, now };
  const order = (sort: string) => inOrder(all, sort, around).map(({ component }) => component.id.slice(3));

  test.each([
    ["", ["web", "db", "cache"]],
    ["-age", ["cache", "db", "web"]],
    ["component", ["cache", "db", "web"]],
    ["environment", ["db", "web", "cache"]],
    ["person", ["cache", "db", "web"]],
    ["nonsense", ["web", "db", "cache"]],
  ])("in the order %j is %j", (sort, expected) => {
    expect(order(sort)).toEqual(expected);
  });

  test.each([
    ["environment", ["Personal/0a/prod", "Personal/0a/dev"]],
    ["person", [null, "grace", "ada"]],
    ["age", ["longer", "week", "day"]],
    ["", [null]],
  ])("in groups by %j has the groups %j", (by, expected) => {
    expect(inGroups(all, by, around).map(({ name }) => name)).toEqual(expected);
  });

  test("an age changes its group after a day and after a week", () => {
    const group = (ageMs: number) => ageGroupOf(new Date(now - ageMs).toISOString(), now);
    const dayMs = 86_400_000;
    expect([dayMs - 1, dayMs, 7 * dayMs - 1, 7 * dayMs].map(group)).toEqual(["day", "week", "week", "longer"]);
  });
});

test.each([
  ["Ada Lovelace", "AL"],
  ["ada.king-lovelace@example.com", "AL"],
  ["grace", "G"],
  ["Łukasz żak", "ŁŻ"],
  ["…", "?"],
])("the initials of %s are %s", (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});

test.each([
  [
    "provider-a",
    "Microsoft.Web/sites@2024-04-01",
    "/subscriptions/1/resourceGroups/a b/providers/Microsoft.Web/sites/web",
    "https://portal.azure.com/#@/resource/subscriptions/1/resourceGroups/a%20b/providers/Microsoft.Web/sites/web",
  ],
  [
    "provider-b",
    "storage.v1.bucket",
    "projects/p/buckets/logs",
    "https://console.cloud.google.com/storage/browser/logs/",
  ],
  ["provider-b", "pubsub.topic", "projects/p/topics/orders", null],
  ["mine", "Thing", "things/1", null],
  ["provider-a", "Microsoft.Web/sites", null, null],
])("the page of a resource of %s, %s, %s is %s", (provider, type, resourceId, page) => {
  expect(cloudPage({ provider, type, resourceId })).toBe(page);
});

describe("what is kept", () => {
  const definition = {
    name: "shop",
    environmentId: { type: "Personal", ownerId: "0a", shortName: "dev" },
    components: [
      { path: "net", provider: "provider-a", type: "T", parameters: { space: "10.0.0.0/16" } },
      { path: "web", provider: "provider-a", type: "T", parameters: { workers: 2, rules: [{ "a/b": 1, "c~d": 2 }] } },
    ],
  } as unknown as DeployedDefinition;
  const there = { op: "test", path: "/components/1/path", value: "web" };

  test("is written at its places, and nowhere else", () => {
    const patch = [
      there,
      { op: "replace", path: "/components/1/parameters/workers", value: 5 },
      { op: "replace", path: "/components/1/parameters/rules/0/a~1b", value: null },
      { op: "replace", path: "/components/1/parameters/rules/0/c~0d", value: [3] },
    ];
    const kept = withKept(definition, patch);
    expect(kept?.components[1]?.parameters).toEqual({ workers: 5, rules: [{ "a/b": null, "c~d": [3] }] });
    expect(kept?.components[0]).toEqual(definition.components[0]);
    expect(definition.components[1]?.parameters).toMatchObject({ workers: 2 });
  });

  test("isn't, where another component stands there by now", () => {
    expect(withKept(definition, [{ ...there, value: "api" }])).toBeNull();
    expect(withKept({ ...definition, components: [] }, [there])).toBeNull();
  });

  test.each([
    ["5f/net", "net: The quota is used up."],
    [null, "The quota is used up."],
  ])("isn't called kept if the deploy fails at %s", async (failedAt, where) => {
    const error = { code: "ProviderError", detail: "The quota is used up.", componentId: failedAt };
    const liveSystems = {
      get: async () => ({ definition, version: "7" }),
      planDeploy: async () => ({ components: [], warnings: [], error: null }),
      deploy: async () => ({ livesystemId: "5f", id: "m1", status: "Running", error: null }),
      mutations: { get: async () => ({ status: "Failed", error }) },
    };
    let read = 0;
    const keeping = createKeeping({ liveSystems } as unknown as Api, { livesystemId: "5f", id: "5f/web" }, async () => {
      read++;
    });
    await keeping.begin([there] as never);
    await keeping.planIt();
    await keeping.deploy();
    expect([keeping.state.value.kind, read]).toEqual(["idle", 1]);
    expect(keeping.failure.value).toMatchObject({
      message: `The declaration is saved, but its deploy failed. ${where}`,
    });
  });

  test("can be edited as text, in which a mistake is named by its line", async () => {
    expect(JSON.parse(parametersText(definition, "net"))).toEqual({ space: "10.0.0.0/16" });
    const edited = withParameters(definition, "net", await typedText("space: 10.1.0.0/16"));
    expect(edited.components.map(({ parameters }) => parameters)).toEqual([
      { space: "10.1.0.0/16" },
      definition.components[1]?.parameters,
    ]);
    const mistaken = typedText('{\n  "space": [ }');
    await expect(mistaken).rejects.toThrow("This isn't valid JSON: line 2, column 14: The closing ] is missing");
  });
});

test.each([
  [30_000, "a moment", "just now"],
  [90_000, "1 min", "1 min. ago"],
  [3 * 3_600_000 + 120_000, "3 h 2 min", "3 hr. ago"],
  [50 * 3_600_000, "2 d 2 h", "2 days ago"],
])("%d milliseconds are %s, and %s", (span, age, relative) => {
  const now = Date.UTC(2026, 0, 5);
  expect([lasted(now - span, now), relativeTime(now - span, now)]).toEqual([age, relative]);
  expect(relativeTime(now + 9_000, now)).toBe("just now");
  expect(relativeTime(now + 2 * 86_400_000, now)).toBe("in 2 days");
});

test("the palette finds what contains all words: first what begins with them, then names with such a part", () => {
  const entry = (text: string, detail = "") => ({ kind: "component", text, detail, href: text }) as const;
  const all = [entry("shop/precheck"), entry("shop/checkout", "Microsoft.Web/sites"), entry("check/web"), entry("db")];
  const found = (words: string, most = 9) => foundEntries(all, words, most).map(({ text }) => text);
  expect(found("check")).toEqual(["check/web", "shop/checkout", "shop/precheck"]);
  expect(found("CHECK sites")).toEqual(["shop/checkout"]);
  expect(found("")).toHaveLength(4);
  expect(found("check", 1)).toEqual(["check/web"]);
  expect(found("nothing")).toEqual([]);
});

test("each declared value has its actual one: what differs, is settled, ignored or never shown is marked at its place", () => {
  const component = {
    parameters: {
      size: 1,
      "a/b": { same: true, tls: "1.2" },
      rules: [{ name: "x", port: 80 }],
      plan: { $output: "web#tier" },
      key: { $secret: "key" },
      hosts: ["first", { $output: "db#id" }],
      password: "hidden",
    },
    outputFields: { plan: "P1" },
    settled: [{ pointer: "/a~1b/tls", form: "TLS1_2", by: "write", at: "" }],
    ignored: { "/size": { declared: 1, actual: 3 } },
    unobservable: ["/password"],
  } as unknown as Parameters<typeof valueRows>[0];
  const changes = [{ pointer: "/rules/0/port", actual: 443 }] as unknown as Parameters<typeof valueRows>[1]["changes"];
  expect(valueRows(component, { changes })).toEqual([
    { place: "/size", declared: 1, actual: 3, mark: "ignored" },
    { place: "/a~1b/same", declared: true, actual: true, mark: "same" },
    { place: "/a~1b/tls", declared: "1.2", actual: "TLS1_2", mark: "settled" },
    { place: "/rules/0/port", declared: 80, actual: 443, mark: "differs" },
    { place: "/plan", declared: { $output: "web#tier" }, actual: "P1", mark: "same" },
    { place: "/key", declared: { $secret: "key" }, actual: undefined, mark: "same" },
    { place: "/hosts", declared: ["first", { $output: "db#id" }], actual: undefined, mark: "same" },
    { place: "/password", declared: "hidden", actual: undefined, mark: "hidden" },
  ]);
});

test("the history has everything in one order, newest first, and tells a take-over once", () => {
  const at = (hour: number) => `2026-03-01T0${hour}:00:00Z`;
  const entries = historyEntries({
    episodes: [{ startedAt: at(2), endedAt: at(5), outcome: "Reconciled" }],
    deploys: [{ createdAt: at(1), completedAt: at(1) }],
    since: at(1),
    events: [
      { time: at(2), type: "component.override.started" },
      { time: at(4), type: "component.corrected" },
      { time: at(5), type: "component.reconcile.completed" },
    ],
  } as unknown as Parameters<typeof historyEntries>[0]);
  expect(entries.map(({ kind }) => kind)).toEqual(["returned", "event", "taken", "deploy"]);
});

test("a deploy since the component exists has its place in the history where it ended, or began if it goes on", () => {
  const entries = historyEntries({
    episodes: [],
    deploys: [
      { createdAt: "2026-03-01T01:00:00Z", completedAt: "2026-03-01T03:00:00Z" },
      { createdAt: "2026-03-01T04:00:00Z", completedAt: null },
      { createdAt: "2026-03-01T00:00:00Z", completedAt: "2026-03-01T00:30:00Z" },
    ],
    since: "2026-03-01T01:00:00Z",
    events: [{ time: "2026-03-01T02:00:00Z", type: "component.provisioned" }],
  } as unknown as Parameters<typeof historyEntries>[0]);
  expect(entries.map(({ at, kind }) => `${at.slice(12, 13)} ${kind}`)).toEqual(["4 deploy", "3 deploy", "2 event"]);
});

test("a plan of nothing says that there are no components, not that all are as declared", () => {
  const none = {
    create: 0,
    change: 0,
    move: 0,
    delete: 0,
    release: 0,
    adopted: 0,
    tags: 0,
    stuck: 0,
    held: 0,
    same: 0,
  };
  const { summary } = liveSystemTexts.plan;
  expect([summary(none), summary({ ...none, same: 2 })]).toEqual([
    "No components.",
    "No changes. All 2 are as declared.",
  ]);
});

test("a parameter is muted once, in one component", () => {
  const definition = {
    components: [{ path: "web", muteDrift: ["size"] }, { path: "db" }],
  } as unknown as DeployedDefinition;
  const workers = (isMuted: boolean) => ({ parameter: "workers", isMuted });
  const muted = withMuted(withMuted(definition, "web", workers(true)), "web", workers(true));
  expect(muted.components).toEqual([{ path: "web", muteDrift: ["size", "workers"] }, { path: "db" }]);
  const again = withMuted(muted, "web", workers(false));
  expect(again.components).toEqual([{ path: "web", muteDrift: ["size"] }, { path: "db" }]);
});

test.each([
  ["Superseded", "The declaration is saved. A newer deploy or deletion has replaced this deploy."],
  ["ProviderError", "The declaration is saved, but its deploy failed. web: no."],
])("a deploy that ended with %s is told of as what it is", async (code, message) => {
  const error = { code, detail: "no.", componentId: "s/web" };
  const ended = async () => ({ id: "m", status: "Failed", completedAt: "2026-01-01T00:00:00Z", error });
  const api = { liveSystems: { deploy: ended, mutations: { get: ended } } };
  const edited = { definition: {} as DeployedDefinition, version: "v" };
  await expect(deployed(api as unknown as Api, "s", edited)).rejects.toMatchObject({ message });
});

test("environments of one short name are told apart by their owners, and no others", () => {
  const place = (ownerId: string, shortName: string) => ({ type: "Organizational", ownerId, shortName }) as const;
  const [first, second, lone] = [place("acme", "prod"), place("globex", "prod"), place("acme", "dev")];
  const named = tellingApart([first, first, second, lone], (ownerId) => ownerId.toUpperCase());
  expect([first, second, lone].map(named)).toEqual(["prod (ACME)", "prod (GLOBEX)", "dev"]);
});
