import { azureCloud } from "@liveplane/adapters/azure-cloud";
import type { ExistingResource } from "../../../core/src/contract/schemas/resource-schemas.ts";
import { environmentId, overrideWorld } from "../../../core/test/builders/override.ts";
import { fetchFrom } from "../simulator/in-process.ts";
import { azureDouble } from "./azure-double.ts";

/** Discovers as many resources as it is told, page by page as a client does, and prints what that took. */
const wanted = Number(process.argv[2]);
const group = "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3302/resourceGroups/dev/providers";
const types = ["Microsoft.Web/sites", "Microsoft.Storage/storageAccounts", "Microsoft.Network/virtualNetworks"];

const double = azureDouble();
for (let nth = 0; nth < wanted; nth++)
  double.make(`${group}/${types[nth % types.length]}/res${nth}`, {
    location: "westeurope",
    tags: { nth: String(nth) },
  });
let calls = 0;
const answer: typeof double.answer = (request) => {
  calls++;
  return double.answer(request);
};
const credential = { getToken: async () => ({ token: "token-of-azure", expiresOnTimestamp: Date.now() + 3_600_000 }) };
const world = overrideWorld({ clouds: () => [azureCloud({ fetch: fetchFrom(answer), credential })] });

const startedAt = performance.now();
let found = 0;
for (let cursor: string | null = null; ; ) {
  const query = { provider: "provider-a", limit: 200, ...(cursor !== null && { cursor }) };
  const page = (await world.call("environments.resources.list", { params: environmentId, query })) as {
    items: ExistingResource[];
    nextCursor: string | null;
  };
  found += page.items.length;
  cursor = page.nextCursor;
  if (cursor === null) break;
}
const seconds = (performance.now() - startedAt) / 1000;
console.log(JSON.stringify({ found, calls, seconds, rssMiB: process.resourceUsage().maxRSS / 1024 }));
