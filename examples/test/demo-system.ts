import type { Api } from "@liveplane/client";
import { expect } from "vitest";

/** The components of the server's demo, once it is deployed. */
export async function demoComponents(api: Api) {
  await expect.poll(async () => (await api.liveSystems.list()).items, { timeout: 20_000 }).toHaveLength(1);
  const [{ id = "" } = {}] = (await api.liveSystems.list()).items;
  const status = async () => (await api.liveSystems.mutations.list({ id })).items[0]?.status;
  await expect.poll(status, { timeout: 20_000 }).toBe("Succeeded");
  return (await api.liveSystems.components.list({ id })).items;
}
