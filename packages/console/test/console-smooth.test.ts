import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import { type EndableServer, startServer } from "../../server-express/test/running-server.ts";
import { consolesOfChromium, type Demo, theOperator, withDemo } from "./console-page.ts";

const openConsole = consolesOfChromium();
let server: EndableServer;
let demo: Demo;

beforeAll(async () => {
  server = await startServer({ LIVEPLANE_CHECK_SECONDS: "0.2" });
  demo = await withDemo(server);
}, 60_000);
afterAll(() => server.end());

/** A task of the page's main thread, as Chromium traces it: what it took of the processor, in microseconds. */
interface TracedTask {
  readonly name: string;
  readonly tid: number;
  readonly pid: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The longest task in milliseconds of processor time, so that a busy machine doesn't count. */
async function longestTask(page: Page, work: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const traced: TracedTask[] = [];
  session.on("Tracing.dataCollected", ({ value }) => void traced.push(...(value as unknown as TracedTask[])));
  await session.send("Tracing.start", { categories: "toplevel,__metadata", transferMode: "ReportEvents" });
  await work();
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await complete;
  const isMain = ({ name, args }: TracedTask) => name === "thread_name" && args?.name === "CrRendererMain";
  const mains = new Set(traced.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = traced.filter(({ name, pid, tid }) => name.endsWith("RunTask") && mains.has(`${pid} ${tid}`));
  expect(tasks.length).toBeGreaterThan(10);
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

/** Answers a list with many items in pages, as the service would. */
async function answerWith(page: Page, path: RegExp, most: number, itemAt: (index: number) => object): Promise<void> {
  await page.route(path, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [from, limit] = [Number(query.get("cursor") ?? 0), Number(query.get("limit") ?? 50)];
    const items = Array.from({ length: Math.min(limit, most - from) }, (_, index) => itemAt(from + index));
    await route.fulfill({ json: { items, nextCursor: from + limit < most ? String(from + limit) : null } });
  });
}

const go = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

/** The most that a single task may take. */
const mostMs = 200;

async function traced(context: TestContext, page: Page, what: string, work: () => Promise<void>): Promise<void> {
  const took = await longestTask(page, work);
  await context.annotate(`${what}: longest task ${Math.round(took)} ms`);
  expect(took, what).toBeLessThan(mostMs);
}

test("ten thousand overrides are read, drawn as board and table, and narrowed without a long task", async (context) => {
  await demo.byHand({ tags: {}, parameters: { workers: 9 } });
  const [row] = (await server.operator.overrides.list()).items;
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  await answerWith(page, /\/overrides\?/, 10_000, (index) => ({
    ...row,
    component: { ...row?.component, id: `${demo.livesystemId}/zone-${index % 100}/web-${index}` },
  }));
  await traced(context, page, "board", async () => {
    await go(page, "#/overrides");
    await page.locator("p.count", { hasText: "10000 overrides" }).waitFor();
    await page.getByRole("article").first().waitFor();
  });
  await traced(context, page, "search", async () => {
    await page.getByRole("searchbox", { name: "Find" }).pressSequentially("web-9999");
    await page.locator("p.count", { hasText: "1 override" }).waitFor();
  });
  await traced(context, page, "table", async () => {
    await go(page, "#/overrides?view=table&group=age");
    await page.getByRole("row").nth(20).waitFor();
  });
  await page.unrouteAll();
  expect(wrong).toEqual([]);
}, 120_000);

test("a thousand live systems are counted and listed without a long task", async (context) => {
  const [row] = (await server.operator.liveSystems.health()).items;
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  await answerWith(page, /\/livesystems\/health/, 1000, (index) => ({
    ...row,
    id: crypto.randomUUID(),
    name: `system-${index}`,
  }));
  await traced(context, page, "live systems", async () => {
    await go(page, "#/live-systems");
    await page.getByText("1000 live systems").waitFor();
    await page.getByRole("link", { name: "system-100", exact: true }).waitFor();
  });
  await traced(context, page, "overview", async () => {
    await go(page, "#/");
    await page.getByText("1000 live systems").waitFor();
  });
  await page.unrouteAll();
  expect(wrong).toEqual([]);
}, 60_000);

test("of a hundred thousand events, the most that a page keeps are shown and narrowed without a long task", async (context) => {
  const [entry] = (await server.operator.events.log({ limit: 1 })).items;
  const last = 100_000;
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  await page.route(/\/events(\?|$)/, async (route) => {
    const after = Number(route.request().headers()["last-event-id"] ?? last - 1);
    const lines: string[] = [];
    for (let sequence = after + 1; sequence <= last; sequence++) {
      const event = { ...entry?.event, sequence, id: `e${sequence}`, type: `component.${sequence % 7}` };
      lines.push(`id: ${sequence}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    await route.fulfill({ contentType: "text/event-stream", body: lines.join("") });
  });
  await page.reload();
  await traced(context, page, "events", async () => {
    await go(page, "#/events");
    await page.getByText("1000 events").waitFor();
    for (let more = 0; more < 9; more++) await page.getByRole("button", { name: "Load earlier events" }).click();
    await page.getByText("10000 events").waitFor();
  });
  await traced(context, page, "filter", async () => {
    await page.getByLabel("Type").pressSequentially("component.3");
    await page.getByText(/^14\d\d events$/).waitFor();
  });
  await page.unrouteAll();
  expect(wrong).toEqual([]);
}, 120_000);
