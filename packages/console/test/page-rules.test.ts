import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LiveplaneEvent } from "@liveplane/client";
import { expect, test } from "vitest";
import { namedAgent } from "../src/account/user-agent.ts";
import { fittingEvents, inRuns, linesOf, sinceOf } from "../src/events/event-reader.ts";
import { changesBetween, declaresSame, type SystemDeclaration } from "../src/live-systems/declaration-changes.ts";
import { lineOfPlace, placeInText } from "../src/live-systems/declaration-places.ts";
import { placedInLayers } from "../src/live-systems/graph-layers.ts";
import { figuresByCloud, parseFigures } from "../src/operators/agent-figures.ts";

test("no text names a setting of the reference server: the console also stands in other hosts", () => {
  const folder = join(import.meta.dirname, "../src/texts");
  const files = [join(folder, "../texts.ts"), ...readdirSync(folder).map((name) => join(folder, name))];
  const named = files.flatMap((file) => readFileSync(file, "utf8").match(/LIVEPLANE_\w+/g) ?? []);
  // The command line reads these, wherever the server is.
  expect(named).toEqual(["LIVEPLANE_URL", "LIVEPLANE_CLIENT_ID", "LIVEPLANE_CLIENT_SECRET"]);
});

test("each component lies behind all that it needs, and each need is a line", () => {
  const { columns, edges } = placedInLayers([
    { id: "web", needs: ["db", "net", "gone"] },
    { id: "db", needs: ["net"] },
    { id: "net", needs: [] },
    { id: "mail", needs: [] },
  ]);
  expect(columns).toEqual([["mail", "net"], ["db"], ["web"]]);
  expect(edges).toHaveLength(3);
  expect(edges.every(({ from, to }) => from.column < to.column)).toBe(true);
});

test("a circle is cut, and a layer of many takes several columns", () => {
  const circle = placedInLayers([
    { id: "a", needs: ["b"] },
    { id: "b", needs: ["a"] },
  ]);
  expect(circle.columns.flat().toSorted()).toEqual(["a", "b"]);
  const many = placedInLayers(Array.from({ length: 500 }, (_, at) => ({ id: `c${at}`, needs: [] })));
  expect(many.columns.flat()).toHaveLength(500);
  expect(Math.max(...many.columns.map((column) => column.length))).toBeLessThanOrEqual(14);
});

const text = `{
  "name": "shop",
  "components": [
    { "path": "web", "type": "A/b", "parameters": { "a/b~": [1, { "x": "}" }] } },
    { "path": "db" }
  ]
}`;

test.each([
  ["#/name", '"shop"', 2],
  ["#/components/0/type", '"A/b"', 4],
  ["#/components/0/parameters/a~1b~0/1/x", '"}"', 4],
  ["#/components/1/path", '"db"', 5],
  ["#/components/1/provider", '{ "path": "db" }', 5],
  ["#/components/7/path", undefined, 3],
])("what is wrong at %s is found in the text", (pointer, found, line) => {
  const place = placeInText(text, pointer);
  expect(place && lineOfPlace(text, place)).toBe(line);
  if (found !== undefined) expect(place && text.slice(place.start, place.end)).toBe(found);
});

test.each(["", "{", '{"a": [', "nothing of the kind"])(
  "what is no JSON, such as %j, is read without an end",
  (broken) => {
    expect(() => placeInText(broken, "#/components/0")).not.toThrow();
  },
);

test("what somebody else changed is told by path", () => {
  const part = { provider: "provider-a", type: "A/b" };
  const environmentId = { type: "Personal", ownerId: "o", shortName: "e" } as const;
  const before: SystemDeclaration = {
    name: "shop",
    environmentId,
    components: [
      { path: "web", ...part },
      { path: "db", ...part, parameters: { size: 1 } },
    ],
  };
  const after: SystemDeclaration = {
    name: "store",
    environmentId,
    components: [
      { path: "db", ...part, parameters: { size: 2 } },
      { path: "mail", ...part },
    ],
  };
  expect(changesBetween(before, after)).toEqual({
    added: ["mail"],
    removed: ["web"],
    changed: ["db"],
    others: ["name"],
  });
  expect(declaresSame(before, { ...before, description: null })).toBe(true);
  expect(declaresSame(before, after)).toBe(false);
});

test("events are found by the beginning of their type and any part of their subject, and taken away oldest first", () => {
  const event = (sequence: number, type: string, subject: string) =>
    ({ sequence, type, subject, actor: "0a" }) as unknown as LiveplaneEvent;
  const all = [
    event(3, "component.corrected", "x/web"),
    event(2, "component.moved", "x/db"),
    event(1, "team.created", "t"),
  ];
  const around = { named: (text: string) => text.replace("0a", "Ada"), holders: new Map() };
  expect(fittingEvents(all, { type: "component", subject: "WEB", since: null }, around)).toEqual([all[0]]);
  expect(fittingEvents(all, { type: "", subject: "0A", since: null }, around)).toHaveLength(3);
  expect(fittingEvents(all, { type: "team", subject: "ada", since: null }, around)).toEqual([all[2]]);
  const lines = linesOf(all).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).sequence)).toEqual([1, 2, 3]);
});

test("the figures of a process are told by cloud", () => {
  const figures = parseFigures(`# HELP liveplane_cloud_calls_total Calls.
liveplane_cloud_calls_total{provider="provider-a",kind="read",outcome="ok"} 8
liveplane_cloud_calls_total{provider="provider-a",kind="write",outcome="ProviderError"} 2
liveplane_cloud_call_seconds_sum{provider="provider-a",kind="read"} 4
liveplane_cloud_call_seconds_count{provider="provider-a",kind="read"} 8
liveplane_cloud_call_seconds_bucket{le="+Inf",provider="provider-a",kind="read"} 8
liveplane_checks_total{provider="provider-b",lane="sweep"} 5
process_cpu_seconds_total 3`);
  expect(figuresByCloud(figures)).toMatchObject([
    { provider: "provider-a", calls: 10, failed: 2, meanSeconds: 0.5, checks: 0 },
    { provider: "provider-b", calls: 0, failed: 0, meanSeconds: null, checks: 5 },
  ]);
});

const like = (rest: string) => `Mozilla/5.0 ${rest}`;
const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
test.each([
  [like("(X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"), "Firefox", "Linux"],
  [like(`(X11; Linux x86_64) ${webkit} HeadlessChrome/141.0.0.0 Safari/537.36`), "Chrome", "Linux"],
  [like(`(Windows NT 10.0; Win64; x64) ${webkit} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`), "Edge", "Windows"],
  [like(`(Linux; Android 16; Pixel 10) ${webkit} Chrome/141.0.0.0 Mobile Safari/537.36`), "Chrome", "Android"],
  [like("(Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15"), "Safari", "macOS"],
  [
    like("(iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile Safari/604.1"),
    "Safari",
    "iPhone",
  ],
  ["liveplane-cli/1.2.0 node/24", "liveplane-cli", null],
  ["node", "node", null],
  ["curl/8.14.1", "curl", null],
  ["<script>", null, null],
  ["", null, null],
])("%s is told as %s on %s", (userAgent, program, system) => {
  expect(namedAgent(userAgent)).toEqual({ program, system });
});

test("events are narrowed to a period, and steps of the same kind are one run", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  const one = (sequence: number, hour: string, type: string, subject: string) =>
    ({ sequence, time: `2026-03-01T${hour}:00:00Z`, type, subject, actor: "agent" }) as LiveplaneEvent;
  const all = [
    one(4, "11", "component.provisioned", "s1/b"),
    one(3, "11", "component.provisioned", "s1/a"),
    one(2, "10", "component.provisioned", "s2/a"),
    one(1, "01", "team.created", "t"),
  ];
  const around = { named: (text: string) => text, holders: new Map() };
  const runs = (events: typeof all) => inRuns(events, around.holders).map((run) => run.map(({ sequence }) => sequence));
  expect(runs(all)).toEqual([[4, 3], [2], [1]]);
  const secrets = ["one/secrets/b", "one/secrets/a", "other/secrets/a"].map((below, at) =>
    one(3 - at, "11", "secret.created", `Personal/ada/${below}`),
  );
  expect(runs(secrets)).toEqual([[3, 2], [1]]);
  const late = (period: string) =>
    fittingEvents(all, { type: "", subject: "", since: sinceOf(period, now) }, around).length;
  const before = (until: string) => fittingEvents(all, { type: "", subject: "", since: null, until }, around).length;
  expect(["hour", "12h", "", "nonsense"].map(late)).toEqual([2, 4, 4, 4]);
  const [newest, oldest] = [all[0]?.time ?? "", all[3]?.time ?? ""];
  expect([newest, oldest, "", "nonsense"].map(before)).toEqual([2, 0, 4, 4]);
});

test("events of take-overs go by the person who took over, in runs and when one looks for somebody", () => {
  const taken = (sequence: number, episodeId: string) =>
    ({
      sequence,
      type: "component.override.started",
      subject: `shop/${episodeId}`,
      actor: "agent",
      data: { episodeId },
    }) as unknown as LiveplaneEvent;
  const all = [taken(3, "a"), taken(2, "b"), taken(1, "c")];
  const holders = new Map([
    ["a", "0b"],
    ["b", "0b"],
  ]);
  const around = { named: (text: string) => text.replace("0b", "Bob"), holders };
  expect(inRuns(all, holders).map((run) => run.length)).toEqual([2, 1]);
  expect(fittingEvents(all, { type: "", subject: "bob", since: null }, around)).toEqual(all.slice(0, 2));
});
