import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { type EndableServer, operatorPassword, type Person, startServer } from "./running-server.ts";
import { typedLine } from "./typed-line.ts";

let server: EndableServer;
let ada: Person;
let token: string;
const folder = emptyFolder(afterAll);

beforeAll(async () => {
  server = await startServer();
  ada = await server.person("ada");
  const at = { type: "Personal", ownerId: ada.id, shortName: "production" } as const;
  await ada.api.environments.create(at, {});
  await ada.api.environments.secrets.create(at, { shortName: "db", value: "a secret that is nowhere" });
  for (const name of ["One", "Two", "Three"]) await ada.api.environments.update(at, { name });
  const credentials = { username: "operator", password: operatorPassword };
  ({ accessToken: token } = await server.operator.sessions.create(credentials));
});
afterAll(async () => {
  await server.end();
});

const typed = (line: string, environment: Readonly<Record<string, string>> = {}) =>
  typedLine(line, { environment, folder });

const asOperator = () => ({ LIVEPLANE_URL: server.url, LIVEPLANE_TOKEN: token });

/** The log of a period, in a file. */
async function taken(name: string, period = ""): Promise<{ readonly file: string; readonly lines: readonly string[] }> {
  const { code, out } = await typed(`events log --json${period}`, asOperator());
  expect(code).toBe(0);
  const file = join(folder, name);
  writeFileSync(file, out);
  return { file, lines: out.trimEnd().split("\n") };
}

test("an operator takes the log away, and whoever has the file verifies it without the service", async () => {
  const { file, lines } = await taken("all.jsonl");
  const first = JSON.parse(lines[0] ?? "");
  expect(first).toMatchObject({ sequence: 1, before: "", event: { sequence: 1, specversion: "1.0" } });
  const types = lines.map((line) => JSON.parse(line).event.type);
  expect(types).toEqual(expect.arrayContaining(["account.registered", "secret.created", "environment.updated"]));
  expect(lines.join()).not.toContain("a secret that is nowhere");
  const { code, out } = await typed(`verify-audit ${file}`);
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining(`${lines.length} events, 1 to `) });
  expect(out).toContain(JSON.parse(lines.at(-1) ?? "").hash);
  expect((await server.liveplane.log.verify()).broken).toBeNull();
});

test("the newest events come in time's order, and a part of the log says how to get more", async () => {
  const { lines } = await taken("whole.jsonl");
  const sequences = (out: string) => out.match(/^\d+/gm)?.map(Number);
  const newest = await typed("events log --newest 3", asOperator());
  expect(sequences(newest.out)).toEqual([lines.length - 2, lines.length - 1, lines.length]);
  expect(newest.said).toBe("");
  const part = await typed("events log --limit 2", asOperator());
  expect(sequences(part.out)).toEqual([1, 2]);
  const [, cursor] =
    /^There are more. To continue, add --cursor (\S+)\. For the latest events: --newest 20\.$/.exec(part.said) ?? [];
  expect(sequences((await typed(`events log --limit 2 --cursor ${cursor}`, asOperator())).out)).toEqual([3, 4]);
  // Of a period, the newest are at its end.
  const { event } = JSON.parse(lines.at(-1) ?? "");
  const before = await typed(`events log --newest 1 --until ${event.time}`, asOperator());
  expect(sequences(before.out)?.[0]).toBeLessThan(lines.length);
});

test("what was changed, left out, added or put in another place is found, by its line", async () => {
  const { lines } = await taken("whole.jsonl");
  const file = join(folder, "wrong.jsonl");
  const wrong = async (...changed: readonly string[]) => {
    writeFileSync(file, changed.join("\n"));
    const { code, said } = await typed(`verify-audit ${file}`);
    expect(code).toBe(1);
    return said;
  };
  const [one = "", two = "", three = "", ...more] = lines;
  const actor = /"actor":"[^"]+"/;
  expect(await wrong(one, two.replace(actor, '"actor":"eve"'), three, ...more)).toContain(
    "line 2: event 2 doesn't match its hash",
  );
  expect(await wrong(one, three, ...more)).toContain("line 2: event 3 follows event 1: events are missing");
  expect(await wrong(two, one)).toContain("events are missing");
  expect(await wrong(one, one)).toContain("events are missing");
  expect(await wrong(one, "{}")).toContain("line 2: this isn't an entry");
  expect(await wrong("")).toContain("No events found");
});

test("a period is a piece of the chain: one goes on from the other, and from a hash that was noted", async () => {
  const { lines } = await taken("once-more.jsonl");
  const time = JSON.parse(lines[3] ?? "").event.time as string;
  const [early, late] = [await taken("early.jsonl", ` --until ${time}`), await taken("late.jsonl", ` --from ${time}`)];
  expect([...early.lines, ...late.lines]).toEqual(lines);
  expect(await typed(`verify-audit ${early.file} ${late.file}`)).toMatchObject({ code: 0 });
  expect(await typed(`verify-audit ${late.file} ${early.file}`)).toMatchObject({ code: 1 });
  const { hash } = JSON.parse(early.lines.at(-1) ?? "");
  expect(await typed(`verify-audit --after ${hash} ${late.file}`)).toMatchObject({ code: 0 });
  expect(await typed(`verify-audit --after ${"0".repeat(64)} ${late.file}`)).toMatchObject({
    ...{ code: 1, said: expect.stringContaining("hash given with --after") },
  });
  const json = await typed(`verify-audit --json ${late.file}`);
  expect(JSON.parse(json.out)).toMatchObject({ events: late.lines.length, from: { goesOnFrom: hash } });
});

test("pages of the log are verified like its lines, and anything else is told how the log is saved", async () => {
  const { lines } = await taken("lines.jsonl");
  const pages = await taken("pages.jsonl", " --limit 2");
  expect(JSON.parse(pages.lines[0] ?? "").items).toEqual(lines.slice(0, 2).map((line) => JSON.parse(line)));
  expect(await typed(`verify-audit ${pages.file}`)).toMatchObject({
    ...{ code: 0, out: expect.stringContaining("2 events, 1 to 2") },
  });
  const table = join(folder, "table.txt");
  writeFileSync(table, (await typed("events log", asOperator())).out);
  const { code, said } = await typed(`verify-audit ${table}`);
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining("liveplane events log --json") });
  expect(await typed(`verify-audit ${join(folder, "none.jsonl")}`)).toMatchObject({
    ...{ code: 2, said: expect.stringContaining("none.jsonl can't be read (ENOENT).") },
  });
});

test("nobody but operators reads it, and pages are of one size", async () => {
  const page = await server.operator.events.log({ limit: 2 });
  expect(page.items).toHaveLength(2);
  expect(page.nextCursor).not.toBeNull();
  await expect(ada.api.events.log()).rejects.toMatchObject({ code: "PermissionDenied" });
  expect(await typed("verify-audit")).toMatchObject({ code: 2 });
  expect(readFileSync(join(folder, "all.jsonl"), "utf8").endsWith("\n")).toBe(true);
});
