import { expect, test } from "vitest";
import { patched } from "../manual-override/json-patch.ts";
import { runExample } from "./run-example.ts";

test("manual-override tells the whole story, and the manual changes are kept", async () => {
  const { exitCode, stdout, stderr } = await runExample("examples/manual-override/main.ts");
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  const story = [
    "deployed: Succeeded",
    "web is Active",
    "removed the tag managed-by=platform",
    "web is ManualOverride; writes of mine in flight: 0",
    "noted why: Black Friday, OPS-1",
    '"actual": 6',
    "would set workers from 6 back to 2",
    'would set size from "P1" back to "S1"',
    '"op": "replace"',
    "held back for you: 1 component",
    "nothing differs any more",
    "set managed-by=platform and platform=reconcile",
    "web is Active",
    '"workers": 6',
    'the ledger says: Reconciled, "Black Friday", OPS-1',
  ];
  let from = 0;
  for (const line of story) {
    const found = stdout.indexOf(line, from);
    expect(found, `"${line}" in ${stdout.slice(from)}`).toBeGreaterThanOrEqual(0);
    from = found + line.length;
  }
  expect(stdout).not.toContain("\u001b");
}, 60_000);

test("a patch whose test fails is refused, and changes nothing", () => {
  const document = { components: [{ path: "web", parameters: { "a/b": 1 } }] };
  const replace = { op: "replace", path: "/components/0/parameters/a~1b", value: 2 };
  expect(patched(document, [replace]).components[0]?.parameters).toEqual({ "a/b": 2 });
  const elsewhere = { op: "test", path: "/components/0/path", value: "db" };
  expect(() => patched(document, [elsewhere, replace])).toThrow("doesn't fit");
  expect(document.components[0]?.parameters).toEqual({ "a/b": 1 });
});
