import { createClient } from "@liveplane/client";
import { operationsById, parseRoute, takesIdempotencyKey } from "@liveplane/core/contract";
import type { OperationId } from "@liveplane/core/routes";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenIdProvider, openIdProvider } from "../../../adapters/test/openid/openid-provider.ts";
import { codeAt } from "../sign-in-world.ts";
import { type LosingProxy, type Loss, losingProxy, losses } from "./losing-proxy.ts";
import { type Case, type Lost, type Person, type Scene, sentAgain, sentOnce, signedUp } from "./lost-answer-cases.ts";
import { outcomeOf, settled } from "./script.ts";
import { mailed } from "./script-accounts.ts";
import { type RunningWorld, startWorld } from "./two-worlds.ts";

let provider: OpenIdProvider;
let world: RunningWorld;
let proxy: LosingProxy;

beforeAll(async () => {
  const way = async (url: string) => {
    proxy = await losingProxy(url);
    return proxy.url;
  };
  provider = await openIdProvider();
  world = await startWorld("express", { way, retries: 3, issuer: provider.issuer });
  await provider.serve(`${world.url}/auth/oidc/callback`);
});
afterAll(() => Promise.all([world.end(), proxy.end(), provider.end()]));

const people = new Map<Loss, Promise<Person>>();

async function sceneOf(loss: Loss): Promise<Scene> {
  const name = crypto.randomUUID();
  const email = `${name}@example.com`;
  const scene = {
    name,
    email,
    stranger: world.as("anonymous"),
    operator: world.as("operator"),
    holder: (token: string) => createClient({ baseUrl: proxy.url, token }),
    async visit() {
      provider.who = name;
      provider.people[name] = { email, email_verified: true };
      const { code, codeVerifier } = await codeAt(world.url);
      return { code, codeVerifier };
    },
    async mailed(before?: string) {
      await settled(async () => (await mailed(email, world)) !== before);
      return mailed(email, world);
    },
  };
  const person = people.get(loss) ?? signedUp({ ...scene, name: crypto.randomUUID() });
  people.set(loss, person);
  return { ...scene, person: await person };
}

const each = (cases: Partial<Record<OperationId, Case>>) =>
  Object.entries(cases).flatMap(([id, of]) => losses.map((loss) => [id, loss, of] as const));

test.each(each(sentOnce))("%s, lost %s: the client says that it can't know, and a look tells", async (_, loss, of) => {
  const { make, look, goOn }: Lost = await of(await sceneOf(loss));
  proxy.loseNext(loss);
  expect(await outcomeOf(make)).toMatchObject({
    error: {
      code: "Unavailable",
      retryable: false,
      message: expect.stringContaining("The call may have been carried out"),
      details: { outcome: "unknown" },
    },
  });
  expect(proxy.taken()).toEqual({ isLost: true, tries: 1 });
  const isDone = loss !== "before it arrives";
  if (look) expect(await look()).toBe(isDone);
  if (!isDone || !look) await make();
  if (isDone) await goOn?.();
  if (look) expect(await look()).toBe(true);
});

test.each(each(sentAgain))("%s, lost %s: is sent once more, and no oftener", async (_, loss, of) => {
  const { make, look }: Lost = await of(await sceneOf(loss));
  proxy.loseNext(loss);
  await make();
  expect(proxy.taken()).toEqual({ isLost: true, tries: 2 });
  if (look) expect(await look()).toBe(true);
});

test("every write that isn't repeated under a key is here", () => {
  const isWrite = (id: OperationId) => !parseRoute(id).methods.includes("GET");
  const ends = /^(?:accounts|sessions)\.delete/;
  const keyless = Object.values(operationsById)
    .filter((row) => isWrite(row.id) && (!takesIdempotencyKey(row) || ends.test(row.id)))
    .map(({ id }) => id);
  expect(Object.keys({ ...sentOnce, ...sentAgain }).sort()).toEqual(keyless.sort());
});
