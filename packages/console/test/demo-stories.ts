import { waitForMutation } from "@liveplane/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, type TestContext } from "vitest";
import { type EndableServer, request, startServer } from "../../server-express/test/running-server.ts";
import { typedLine } from "../../server-express/test/typed-line.ts";
import { consolesOfChromium, type Demo, handIn, operatorToken, theOperator, withDemo } from "./console-page.ts";

type Begun = Parameters<typeof waitForMutation>[1];
type Declared = Parameters<EndableServer["operator"]["liveSystems"]["create"]>[0];

/**
 * What the stories of a file are told with: one server that checks often, a browser, the command line and a simulated cloud, all in the
 * operator's hands.
 */
export function demoStories() {
  const openConsole = consolesOfChromium();
  let server: EndableServer;
  let demo: Demo;
  let signedIn: () => Promise<string>;

  beforeAll(async () => {
    server = await startServer({ LIVEPLANE_CHECK_SECONDS: "0.2" });
    signedIn = operatorToken(server.url);
    demo = await withDemo(server);
  }, 60_000);
  afterAll(() => server.end());

  async function simulator(method: string, path: string, json?: object, cloud = "provider-a"): Promise<void> {
    const token = await signedIn();
    const url = `${server.url}/simulator/${cloud}/${path}`;
    const { status } = await request(url, { method, token, ...(json && { json }) });
    expect(status, path).toBeLessThan(300);
  }
  return {
    get server() {
      return server;
    },
    /** The demo's live system. */
    get demo() {
      return demo;
    },
    ended: (begun: Begun) => waitForMutation(server.operator, begun, { intervalMs: 50 }),
    /** Opens a page of the console. */
    async opened(context: TestContext, hash = "") {
      const console = await openConsole(context, server.url, theOperator);
      if (hash !== "") await go(console.page, hash);
      return { ...console, main: console.page.getByRole("main") };
    },
    /** Types a line of the command line, with a token. */
    async typed(line: string) {
      const environment = { LIVEPLANE_URL: server.url, LIVEPLANE_TOKEN: await signedIn() };
      return typedLine(line, { folder: server.dataDir, environment });
    },
    simulator,
    goWrong: (faults: object) => simulator("PUT", "faults", faults),
  };
}

/** The same, with a live system of its own for each story, and a cloud without faults. */
export function freshDemoStories() {
  const stories = demoStories();
  let declared: Declared;
  let livesystemId: string;

  beforeAll(async () => {
    const { operator } = stories.server;
    declared = (await operator.liveSystems.get({ id: stories.demo.livesystemId })).definition as Declared;
  });
  beforeEach(async () => {
    await stories.goWrong({});
    ({ livesystemId } = await stories.ended(await stories.server.operator.liveSystems.create(declared)));
  }, 60_000);

  const { opened, typed, ended, simulator, goWrong } = stories;
  return {
    ...{ opened, typed, ended, simulator, goWrong },
    get server() {
      return stories.server;
    },
    get declared() {
      return declared;
    },
    get demo() {
      return { livesystemId, componentId: `${livesystemId}/web`, byHand: handIn(stories.server, livesystemId) };
    },
    /** Begins a deploy of the same declaration with these parameters of one component. */
    async begun(change: object = {}, path = "network/vnet") {
      const at = { id: livesystemId };
      const { definition } = await stories.server.operator.liveSystems.get(at);
      const components = definition.components.map((one) =>
        one.path === path ? { ...one, parameters: { ...one.parameters, ...change } } : one,
      );
      return stories.server.operator.liveSystems.deploy(at, { ...definition, components } as typeof definition);
    },
  };
}

/** Goes to a page of the console that is open. */
export const go = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
