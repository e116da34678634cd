import { operationsById, parseRoute, takesIdempotencyKey } from "@liveplane/core/contract";
import type { OperationId } from "@liveplane/core/routes";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openBrowser } from "../../../adapters/test/openid/browser.ts";
import { type OpenIdProvider, openIdProvider } from "../../../adapters/test/openid/openid-provider.ts";
import { codeIn, offerOnPage } from "../sign-in-world.ts";
import { script } from "./every-operation.ts";
import { type LosingProxy, type Loss, losingProxy, losses } from "./losing-proxy.ts";
import { carryOut, environment, keep, type Step, settled, step, type World } from "./script.ts";
import { cloudA, cloudB } from "./script-environments.ts";
import { createNormalizer, type RunningWorld, startWorld } from "./two-worlds.ts";

/** Sent once, since they may end the credential that they are sent with. */
const once: ReadonlySet<OperationId> = new Set(["accounts.delete", "accounts.deleteMe", "sessions.delete"]);
/** Nothing of the script's is shown in a cloud's own words: these are refused there. */
const refused: ReadonlySet<OperationId> = new Set([
  "liveSystems.components.acceptSettled",
  "liveSystems.components.forgetSettled",
]);
const isWrite = (id: OperationId) => !parseRoute(id).methods.includes("GET");
const writes = Object.values(operationsById).filter(({ id }) => isWrite(id));
/** `lost-answers.test.ts` holds the others. */
const repeated = new Set(
  writes.filter((row) => takesIdempotencyKey(row) && !once.has(row.id) && !refused.has(row.id)).map(({ id }) => id),
);

const slow = (world: World) => ({ ...environment(world), shortName: "slow" });
const clouds = { providerA: "provider-a", providerB: "provider-b" } as const;

/** Ada links who she is at the provider: her browser goes there with the ticket, she confirms, and comes back with a code. */
const linking: readonly Step[] = [
  step(
    "accounts.identities.authorize",
    "ada",
    () => [],
    async ({ url }: { url: string }, world) => {
      const browser = openBrowser();
      const offered = await offerOnPage((world as RunningWorld).url, url, browser);
      world.known.linkCode = codeIn(await browser.submit(offered));
    },
  ),
  step("accounts.identities.link", "ada", ({ known }) => [{ code: known.linkCode }], keep("identity")),
  step("accounts.identities.list", "ada", () => []),
  step("accounts.identities.delete", "ada", ({ known }) => [{ identityId: known.identity }]),
];

/** An initialization that is under way, and cancelled: in the script of every operation none is slow enough. */
function cancelling(cloud: keyof typeof clouds): readonly Step[] {
  const isBegun = (_: unknown, world: World) =>
    settled(async () => {
      const { initializationRun } = await world.as("ada").environments[cloud].status(slow(world) as never);
      return initializationRun.steps[0]?.status === "InProgress";
    });
  return [
    step(`environments.${cloud}.initialize`, "ada", (world) => [slow(world), ...targets[cloud]], isBegun),
    step(
      `environments.${cloud}.cancel`,
      "ada",
      (world) => [slow(world)],
      (_, world) => world.setFaults(clouds[cloud], {}),
    ),
  ];
}

const slowly: Step["then"] = async (_, world) => {
  for (const provider of Object.values(clouds)) await world.setFaults(provider, { initialize: { delayMs: 60_000 } });
};

const targets = {
  providerA: [{ subscriptionId: "0b8a1a52-7a3e-4b7e-9a9e-0d6f6b1f0c01", region: "westeurope" }, cloudA],
  providerB: [{ projectId: "project", region: "europe-west3" }, cloudB],
};

/** What is read is read once: the mistakes that one can make with a list are other tests'. */
const played = script.filter(({ id }, at) => isWrite(id) || script[at - 1]?.id !== id);
const beforeTheEnd = played.findLastIndex(({ id }) => id === "environments.delete");
const steps: readonly Step[] = [
  ...played.slice(0, beforeTheEnd),
  ...linking,
  step("environments.create", "ada", (world) => [slow(world), {}], slowly),
  ...cancelling("providerA"),
  ...cancelling("providerB"),
  step("environments.delete", "ada", (world) => [slow(world)]),
  ...played.slice(beforeTheEnd),
];

interface Lossy {
  readonly loss: Loss;
  readonly world: RunningWorld;
  readonly proxy: LosingProxy;
}

let provider: OpenIdProvider;
let whole: RunningWorld;
let lossy: readonly Lossy[];

beforeAll(async () => {
  // Pauses between tries are of a random part of their length: of none here.
  vi.spyOn(Math, "random").mockReturnValue(0);
  provider = await openIdProvider();
  const { issuer } = provider;
  [whole, ...lossy] = await Promise.all([startWorld("express", { issuer }), ...losses.map(startLossy)]);
  await provider.serve([whole, ...lossy.map(({ world }) => world)].map(({ url }) => `${url}/auth/oidc/callback`));
}, 120_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all([whole.end(), ...lossy.map(({ world, proxy }) => Promise.all([world.end(), proxy.end()]))]);
  await provider.end();
});

async function startLossy(loss: Loss): Promise<Lossy> {
  let proxy: LosingProxy | undefined;
  const way = async (url: string) => {
    proxy = await losingProxy(url);
    return proxy.url;
  };
  const world = await startWorld("express", { way, retries: 3, issuer: provider.issuer });
  return { loss, world, proxy: proxy as LosingProxy };
}

/** Carries a step out where its answer is lost. */
async function losing(step: Step, { loss, world, proxy }: Lossy) {
  if (repeated.has(step.id)) proxy.loseNext(loss);
  return carryOut(step, world);
}

test("a write whose answer was lost ends as one call does: its result, and all that is read after", {
  timeout: 300_000,
}, async () => {
  const normalizers = [whole, ...lossy.map(({ world }) => world)].map(createNormalizer);
  const differences: unknown[] = [];
  const lost = new Map(losses.map((loss) => [loss, new Set<OperationId>()]));
  for (const [at, step] of steps.entries()) {
    const [one, ...others] = await Promise.all([carryOut(step, whole), ...lossy.map((way) => losing(step, way))]);
    const expected = JSON.stringify(normalizers[0]?.(one));
    for (const [index, { loss, proxy }] of lossy.entries()) {
      const found = JSON.stringify(normalizers[index + 1]?.(others[index]));
      if (found !== expected) differences.push({ at, id: step.id, loss, expected, found });
      if (!repeated.has(step.id)) continue;
      expect({ at, id: step.id, loss, ...proxy.taken() }).toEqual({ at, id: step.id, loss, isLost: true, tries: 2 });
      if ("answer" in one) lost.get(loss)?.add(step.id);
    }
  }
  expect(differences).toEqual([]);
  for (const loss of losses) expect([loss, [...(lost.get(loss) ?? [])].sort()]).toEqual([loss, [...repeated].sort()]);
  expect(repeated.size).toBeGreaterThan(45);
});

/** What has happened, but for what agents do when they come to it. */
async function told(world: RunningWorld): Promise<unknown[]> {
  const operator = world.as("operator");
  const last = await operator.organizations.create({ name: "The end" });
  const names = createNormalizer();
  const found: unknown[] = [];
  for await (const { type, subject, actor, data } of operator.events.follow({ after: 0 })) {
    if (!type.startsWith("component.")) found.push(names({ type, subject, actor, data }));
    if (type === "organization.created" && subject === last.id) break;
  }
  return found;
}

test("the events are those of one call each", { timeout: 60_000 }, async () => {
  const expected = (await told(whole)).map((event) => JSON.stringify(event)).sort();
  for (const { world } of lossy)
    expect((await told(world)).map((event) => JSON.stringify(event)).sort()).toEqual(expected);
  expect(expected.length).toBeGreaterThan(60);
});
