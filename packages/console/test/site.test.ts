import { gunzipSync, gzipSync } from "node:zlib";
import { consoleSite } from "@liveplane/console";
import { expect, test } from "vitest";
import { bundleFiles } from "../src/files/bundle.ts";

const site = consoleSite();
const ask = async (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") => {
  const answer = await site.answer({ method, path, header: (name) => headers[name] });
  const named: Record<string, string> = {};
  for (let at = 0; at < (answer?.headers.length ?? 0); at += 2)
    named[answer?.headers[at]?.toLowerCase() ?? ""] = answer?.headers[at + 1] ?? "";
  return { status: answer?.status, headers: named, body: Buffer.from(answer?.body ?? []) };
};

test("the page names files that are there, by addresses that work wherever it is mounted", async () => {
  const { status, headers, body } = await ask("/");
  expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
    200,
    "text/html; charset=utf-8",
    "no-cache",
  ]);
  const files = [...String(body).matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path = ""]) => path);
  expect(files).toHaveLength(3);
  for (const file of files) {
    expect(file).toMatch(/^console\/\w+-[\w-]{8}\.(js|css|svg)$/);
    const { status, headers } = await ask(`/${file}`);
    expect([status, headers["cache-control"]]).toEqual([200, "public, max-age=31536000, immutable"]);
  }
});

test("every file has the policy: nothing inline, nothing of others, no markup made from text", async () => {
  const { headers, body } = await ask("/");
  expect(headers["content-security-policy"]).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; .*require-trusted-types-for 'script'/,
  );
  expect(headers["content-security-policy"]).not.toContain("unsafe");
  expect(String(body)).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
});

test("a file is sent as it is wanted: compressed, its head alone, or not again", async () => {
  const plain = await ask("/");
  const zipped = await ask("/", { "accept-encoding": "br, gzip" });
  expect(zipped.headers["content-encoding"]).toBe("gzip");
  expect(String(gunzipSync(zipped.body))).toBe(String(plain.body));
  expect((await ask("/", {}, "HEAD")).body).toHaveLength(0);
  const again = await ask("/", { "if-none-match": `"other", ${plain.headers.etag}` });
  expect([again.status, again.body.length]).toEqual([304, 0]);
});

test.each(["/index.html", "/console/", "/console/main.js", "/console/../package.json", "/console/__proto__", "/docs"])(
  "nothing of its own lies at %s",
  async (path) => {
    expect(await site.answer({ method: "GET", path, header: () => undefined })).toBeNull();
  },
);

test("the board and a component cost a browser 70 kB at most, all other pages together 60 kB more, and typed YAML 40 kB", async () => {
  const files = new Map((await bundleFiles()).map(({ path, bytes }) => [path, bytes]));
  const sizeOf = (path: string) => gzipSync(files.get(path) ?? new Uint8Array()).length;
  const first = new Set(["index.html", ...[...files.keys()].filter((path) => /main-|\.css$|\.svg$/.test(path))]);
  for (const path of first) {
    const text = path.endsWith(".js") ? String(Buffer.from(files.get(path) ?? [])) : "";
    for (const [, name] of text.matchAll(/\bfrom"\.\/([\w.-]+)"|\bimport"\.\/[\w.-]+"/g)) first.add(`console/${name}`);
  }
  const sum = (paths: Iterable<string>) => [...paths].reduce((total, path) => total + sizeOf(path), 0);
  expect(first.size).toBeGreaterThan(4);
  expect(sum(first)).toBeLessThan(70_000);
  const yaml = [...files.keys()].filter((path) => String(Buffer.from(files.get(path) ?? [])).includes("tag:yaml.org"));
  expect(yaml).toHaveLength(1);
  expect(sum(yaml)).toBeLessThan(40_000);
  expect(sum([...files.keys()].filter((path) => !first.has(path) && !yaml.includes(path)))).toBeLessThan(60_000);
});

test("it leaves what isn't reading to others", async () => {
  expect((await ask("/", {}, "POST")).status).toBeUndefined();
});
