import { build, type Rolldown } from "vite";
import { beforeAll, expect, test } from "vitest";
import { openPage } from "../../../quality/consumer/open-page.ts";

let code: string;
beforeAll(async () => {
  const [output] = (await build({
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["@liveplane/source"] },
    build: {
      write: false,
      minify: false,
      lib: { entry: `${import.meta.dirname}/../src/index.ts`, formats: ["iife"], name: "liveplane" },
    },
  })) as Rolldown.RolldownOutput[];
  code = output?.output[0].code ?? "";
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
