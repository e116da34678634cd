import { beforeAll, expect, test } from "vitest";
import { bundled } from "../../../quality/bundled.ts";
import { openPage } from "../../../quality/consumer/open-page.ts";

let code: string;
beforeAll(async () => {
  const [script] = await bundled({ entry: "packages/client/src/index.ts", name: "liveplane" });
  code = script?.code ?? "";
});

test("a bundle for browsers asks for nothing of Node", () => {
  expect(code).not.toMatch(/node:|\brequire\(|\bprocess\b|\bBuffer\b|\b__dirname\b/);
});

test("the bundle works where there is nothing but what browsers, workers, Deno and Bun share", async () => {
  const asked: { readonly url: string; readonly authorization: string | null }[] = [];
  const fetch = async (request: Request) => {
    asked.push({ url: request.url, authorization: request.headers.get("authorization") });
    return Response.json({ id: "me" });
  };
  const use = `liveplane.createClient({ baseUrl: "https://liveplane.test/control", token: "t" }).accounts.me()`;
  expect(await openPage(`${code}; ${use}`, { fetch })).toEqual({ id: "me" });
  expect(asked).toEqual([{ url: "https://liveplane.test/control/accounts/me", authorization: "Bearer t" }]);
});
