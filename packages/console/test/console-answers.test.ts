import { expect, test } from "vitest";
import { freshDemoStories, go } from "./demo-stories.ts";

const story = freshDemoStories();
const pageOf = (path: string) => `#/component/${story.demo.livesystemId}/${path}`;
const systemPage = () => `#/live-systems/${story.demo.livesystemId}`;

/** Begins a deploy with one more component. */
async function withMore(path: string, parameters: object) {
  const at = { id: story.demo.livesystemId };
  const { definition } = await story.server.operator.liveSystems.get(at);
  const type = "Microsoft.Network/virtualNetworks@2024-05-01";
  const one = { path, provider: "provider-a", type, parameters: { location: "westeurope", ...parameters } };
  const components = [...definition.components, one];
  return story.server.operator.liveSystems.deploy(at, { ...definition, components } as never);
}

test("a reference to an output that never existed isn't gone, and what was never created neither differs nor is corrected", async (context) => {
  const ended = await story.ended(await withMore("late", { key: { $output: "web#nosuch" } }));
  expect(ended).toMatchObject({ status: "Failed" });
  const { page, main, wrong } = await story.opened(context, pageOf("late"));
  await page.locator(".badge", { hasText: "Can't be created" }).waitFor();
  const conditions = page.getByRole("region", { name: "Conditions" });
  await conditions.getByText("Not as declared").waitFor();
  await conditions.getByText("ReferenceNotFound").waitFor();
  const trouble = page.getByRole("region", { name: "Problems" });
  await trouble.getByText("It can't be created. The resource has not been provisioned yet. web#nosuch").waitFor();
  expect(await main.textContent()).not.toMatch(/ReferenceGone|Differs from|corrected/);
  await go(page, systemPage());
  await main.locator("a.node", { hasText: "late" }).getByText("Can't be created").waitFor();
  expect(wrong).toEqual([]);
}, 60_000);
