import { expect, test } from "vitest";
import type { Component } from "../../src/contract/schemas/live-system-schemas.ts";
import type { MessageContext, OutgoingEvent } from "../../src/webhooks/message.ts";
import { writeMessage } from "../../src/webhooks/message.ts";
import { overridden } from "../builders/handed-over.ts";

const system = "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041";
const event: OutgoingEvent = {
  ...{ specversion: "1.0", id: "1", source: "liveplane", type: "component.override.started" },
  ...{ subject: `${system}/network/vnet`, time: "2026-01-01T00:00:00.000Z", datacontenttype: "application/json" },
  ...{ actor: "agent", requestid: "r", data: {} },
};

const override: NonNullable<Component["override"]> = {
  ...{ episodeId: "e", since: "2026-01-01T00:00:00.000Z", reason: "Hotfix", ticket: "OPS-1", remindAt: null },
  ...{ claimedBy: null, awaiting: "management-tag", said: null },
  takenOverBy: { name: "grace@example.com", at: "2026-01-01T00:00:00.000Z", operation: "write" },
};
const component = {
  id: event.subject,
  override,
  outputFields: { drift: { size: { declared: 1, actual: 9 } } },
} as unknown as Component;
const change = {
  parameter: "size",
  pointer: "/size",
  declared: 1,
  actual: 9,
  declaredAtOverride: 1,
  cause: "cloud",
  unwritable: null,
} as const;

function slack(parts: Partial<MessageContext> = {}, told: Partial<OutgoingEvent> = {}) {
  const known = { liveSystemName: "shop", component, plan: { possible: true, reason: null, changes: [change] } };
  const context = {
    ...{ component: known, actorName: null, consoleUrl: "https://console.example/" },
    now: Date.parse("2026-01-02T02:30:00.000Z"),
    ...parts,
  };
  const { contentType, body } = writeMessage("slack", { ...event, ...told }, context);
  expect(contentType).toBe("application/json");
  return JSON.parse(body) as { text: string; blocks: { text?: { text: string }; fields?: { text: string }[] }[] };
}

const words = (message: ReturnType<typeof slack>) =>
  message.blocks.flatMap(({ text, fields = [] }) => [...(text ? [text.text] : []), ...fields.map((one) => one.text)]);

test("a take-over says what, who, why, how long, what differs, what a hand-back would put back, and where to look", () => {
  const message = slack();
  expect(message.text).toBe("shop/network/vnet was taken over");
  expect(words(message)).toEqual([
    `*<https://console.example/#/component/${system}/network%2Fvnet|shop/network/vnet was taken over>*`,
    "*Who*\ngrace@example.com",
    "*Why*\nHotfix",
    "*For*\n1 d 2 h",
    "*Ticket*\nOPS-1",
    "*Differs*\n• `size` is `9`, declared `1`",
    "*Handing back reverts*\n• `/size` from `9` to `1`",
  ]);
});

test("what nobody knows or has said is said so", () => {
  const silent = { ...component, override: { ...override, takenOverBy: null, reason: null, ticket: null } };
  const plan = { possible: false, reason: "The resource cannot be read.", changes: [] };
  const message = slack({ component: { liveSystemName: "shop", component: silent, plan }, consoleUrl: "" });
  expect(words(message)).toEqual([
    "*shop/network/vnet was taken over*",
    "*Who*\nunknown",
    "*Why*\nno reason given",
    "*For*\n1 d 2 h",
    "*Differs*\n• `size` is `9`, declared `1`",
    "*Handing back* isn't possible now: The resource cannot be read.",
  ]);
});

test("who said so by tags is believed where the cloud says nothing", () => {
  const said = { reason: "by tag", owner: "team-db", until: null };
  const told = { ...component, override: { ...override, takenOverBy: null, reason: null, said } };
  const message = slack({ component: { liveSystemName: "shop", component: told, plan: null } });
  expect(words(message)).toEqual(expect.arrayContaining(["*Who*\nteam-db", "*Why*\nby tag"]));
});

test("an event without a component says what happened, and who did it by name", () => {
  const message = slack({ component: null, actorName: "Ada" }, { type: "permission.granted", subject: "org-1" });
  expect(message.text).toBe("permission.granted: org-1");
  expect(words(message)).toEqual([expect.stringContaining("permission.granted: org-1"), "*Who*\nAda"]);
});

test("nothing that somebody wrote becomes a mention, a link or markup", () => {
  const evil = "<!channel> <https://evil.example|click> *bold* `code` _it_ & ~no~";
  const told = {
    ...component,
    override: {
      ...override,
      reason: evil,
      ticket: evil,
      takenOverBy: null,
      said: { reason: evil, owner: evil, until: null },
    },
    outputFields: { drift: { [evil]: { declared: evil, actual: evil } } },
  } as unknown as Component;
  const changes = [{ ...change, pointer: `/${evil}`, declared: evil, actual: evil }];
  const facts = { liveSystemName: evil, component: told, plan: { possible: true, reason: null, changes } };
  const message = slack({ component: facts, actorName: evil });
  for (const text of [message.text, ...words(message).slice(1)]) {
    expect(text).not.toMatch(/<!|<http/);
    expect(text.match(/`/g)?.length ?? 0).toBeLessThanOrEqual(6);
    // What stands in backticks is shown as it is.
    expect(text.replaceAll(/`[^`]*`/g, "")).not.toMatch(/(?<!\u200b)\*bold/);
  }
});

test("what is long is cut, and many lines are counted", () => {
  const drift = Object.fromEntries(
    Array.from({ length: 500 }, (_, nth) => [`p${nth}`, { declared: "d".repeat(5000), actual: "a" }]),
  );
  const told = { ...component, outputFields: { drift } } as unknown as Component;
  const message = slack({ component: { liveSystemName: "s".repeat(5000), component: told, plan: null } });
  expect(JSON.stringify(message).length).toBeLessThan(8000);
  expect(words(message).join("\n")).toContain("and 490 more");
});

test("what is told of a component is what is known of it at that moment, secrets hidden, and no plan counts as served", async () => {
  const { world, id, console, resourceId } = await overridden(
    { parameters: { size: 1, password: { $secret: "db" } } },
    { secrets: { db: "hunter2-secret" } },
  );
  await console.patchParameters(resourceId, { size: 9, password: "another-secret" });
  await world.cycle();
  const known = await world.override.knownComponent(id);
  expect(known).toMatchObject({
    liveSystemName: "shop",
    component: { id, status: "ManualOverride" },
    plan: { possible: true },
  });
  const context = { component: known, actorName: null, consoleUrl: "", now: world.runtime.clock.now() };
  const { body } = writeMessage("slack", { ...event, subject: id }, context);
  expect(body).toContain("/size` from `9` to `1`");
  expect(body).not.toMatch(/hunter2-secret|another-secret/);
  const records = await world.store.list({ prefix: ["record"], limit: 1000 });
  expect(JSON.stringify(records)).toMatch(/"servedPlan":(?!")/);
  expect(JSON.stringify(records)).not.toMatch(/"servedPlan":"/);
  expect(await world.override.knownComponent("00000000-0000-4000-8000-000000000001/app")).toBeNull();
});
