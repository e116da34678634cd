import { expect, test } from "vitest";
import { callOf, goodA, goodB, initializationWorld, subscriptionId } from "../builders/initialization.ts";

const byQuery = "environments.providerA.locations";
const byPath = "environments.providerA.subscriptionLocations";
const ofProject = "environments.providerB.locations";

test("answers both paths of provider A alike", async () => {
  const { handlers } = await initializationWorld();
  const first = await handlers[byQuery](callOf(byQuery, { query: { subscriptionId }, credentials: goodA }));
  const second = await handlers[byPath](callOf(byPath, { params: { subscriptionId }, credentials: goodA }));
  expect(second).toEqual(first);
  expect(first.value.items[0]).toEqual({
    id: `/subscriptions/${subscriptionId}/locations/eastus`,
    name: "eastus",
    displayName: "East US",
    geography: "United States",
  });
});

test("lists a project's locations, a page at a time", async () => {
  const { handlers } = await initializationWorld();
  const page = async (query: object) =>
    (await handlers[ofProject](callOf(ofProject, { query: { projectName: "p", ...query }, credentials: goodB }))).value;
  const whole = await page({});
  const first = await page({ limit: 5 });
  const second = await page({ limit: 200, cursor: first.nextCursor });
  expect([...first.items, ...second.items]).toEqual(whole.items);
  await expect(page({ projectName: "q", cursor: first.nextCursor })).rejects.toMatchObject({ code: "InvalidCursor" });
});

test("remembers them an hour for each credential", async () => {
  const { handlers, clouds, runtime } = await initializationWorld();
  let asked = 0;
  const { locations } = clouds["provider-a"];
  clouds["provider-a"].locations = (...args) => {
    asked++;
    return locations(...args);
  };
  const list = (secret: string) =>
    handlers[byQuery](
      callOf(byQuery, { query: { subscriptionId }, credentials: { ...goodA, providerAClientSecret: secret } }),
    );
  await list("one");
  await list("one");
  expect(asked).toBe(1);
  await list("two");
  expect(asked).toBe(2);
  await runtime.advance(3_600_001);
  await list("one");
  expect(asked).toBe(3);
});

test("doesn't remember a rejection", async () => {
  const { handlers } = await initializationWorld();
  const credentials = { ...goodA, providerAClientSecret: "reject" };
  const list = () => handlers[byQuery](callOf(byQuery, { query: { subscriptionId }, credentials }));
  await expect(list()).rejects.toMatchObject({ code: "ProviderCredentialsRejected" });
  await expect(list()).rejects.toMatchObject({ code: "ProviderCredentialsRejected" });
});
