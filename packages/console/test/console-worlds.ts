import { fileURLToPath } from "node:url";
import { waitForMutation } from "@liveplane/client";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { operatorPassword } from "../../server-express/test/running-server.ts";
import { bundleElements } from "../src/files/bundle.ts";
import { type Demo, handIn } from "./console-page.ts";

/** What people do on a bad Friday. */
export async function inAllLanes(demo: Demo): Promise<void> {
  const hand = handIn(demo, await deployShop(demo));
  const until = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const said = (reason: string, owner: string, days: number) => ({
    "platform-reason": reason,
    "platform-owner": owner,
    "platform-until": until(days),
  });
  await hand({ tags: said("Black Friday: more of everything", "ada", 4) }, "checkout");
  await hand({ parameters: { workers: 12, tier: "P3v3" } }, "checkout");
  await hand(
    { tags: said("Index is rebuilt by hand", "grace", 1), parameters: { workers: 6, replicas: 3 } },
    "search/index",
  );
  await hand({ tags: {}, parameters: { workers: 8 } }, "payments");
  await hand({ tags: { "managed-by": "platform" } }, "payments");
  await hand({ tags: {}, parameters: { workers: 2 } }, "campaign");
}

/** A live system whose components stand in every lane that stands still, as a board would have them on a bad Friday. */
async function deployShop({ operator }: Demo): Promise<string> {
  const { id: ownerId } = await operator.accounts.me();
  const site = (path: string, parameters: Record<string, JsonValue>) => ({
    path,
    provider: "provider-a",
    type: "Microsoft.Web/sites@2024-04-01",
    parameters: { location: "westeurope", ...parameters },
  });
  const begun = await operator.liveSystems.create({
    name: "shop",
    environmentId: { type: "Personal", ownerId, shortName: "demo" },
    components: [
      site("checkout", { workers: 3, tier: "P1v3", alwaysOn: true }),
      site("catalogue", { workers: 2, plan: { $output: "checkout#tier" } }),
      site("search/index", { workers: 2, replicas: 1 }),
      site("payments", { workers: 4 }),
      site("campaign", { workers: 1 }),
    ],
  });
  const { livesystemId } = await waitForMutation(operator, begun, { intervalMs: 50 });
  return livesystemId;
}

type JsonValue = string | number | boolean | { readonly [name: string]: JsonValue };

/** What the addresses of the console's pages begin with. They are bundled as browsers load them: Node strips types alone, and they hold JSX. */
export async function namesOfPages(): Promise<string[]> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../src/pages/pages.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    conditions: ["@liveplane/source"],
  });
  const text = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  const { pages } = (await import(`data:text/javascript;base64,${text}`)) as typeof import("../src/pages/pages.ts");
  return pages.map(({ name }) => name);
}

/** Opens somebody else's page with elements in it, at the server's own address. */
export async function openHost(page: Page, url: string, tags: string): Promise<void> {
  const serve = (path: string, contentType: string, body: string) =>
    page.route(`${url}/host/${path}`, (route) => route.fulfill({ contentType, body }));
  await serve("elements.js", "text/javascript", Buffer.from(await bundleElements()).toString());
  await serve("host.js", "text/javascript", await hostScript());
  await serve("host.css", "text/css", "body { --liveplane-accent: rgb(1, 2, 3); color-scheme: light; margin: 0 }");
  const head = '<link rel="stylesheet" href="host.css"><script type="module" src="host.js"></script>';
  await serve("page", "text/html", `<!doctype html><html lang="en"><title>Host</title>${head}${tags}`);
  await page.goto(`${url}/host/page`);
}

/** A host's own script: it signs in in its own way, and gives the elements an API. */
async function hostScript(): Promise<string> {
  const contents = `import { createClient } from "@liveplane/client";
    import { defineLiveplaneElements } from "./elements.js";
    const api = createClient({ baseUrl: location.origin, credentials: { username: "operator", password: ${JSON.stringify(operatorPassword)} } });
    for (const element of document.querySelectorAll("liveplane-overrides, liveplane-component")) element.api = api;
    defineLiveplaneElements();
    document.querySelector("liveplane-live-system").api = api;
    globalThis.opened = [];
    addEventListener("liveplane-open", (event) => { event.preventDefault(); opened.push(event.detail.componentId); });`;
  const conditions = ["@liveplane/source"];
  const stdin = { contents, resolveDir: import.meta.dirname };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    write: false,
    format: "esm",
    conditions,
    external: ["./elements.js"],
  });
  return outputFiles[0]?.text ?? "";
}
