import { describe, expect, test } from "vitest";
import { type Document, parseDocument } from "yaml";
import { takeFlags, takePairs } from "../../src/cli/arguments.ts";
import { completionsOf } from "../../src/cli/completion.ts";
import { keepIn } from "../../src/cli/declaration-file.ts";
import { byWhom, ofWhat } from "../../src/cli/event-words.ts";
import { namedOperation, operationNames } from "../../src/cli/operations.ts";
import { mayBeSet, variableOf } from "../../src/cli/program-variables.ts";
import { ageOf, tableOf } from "../../src/cli/tables.ts";
import { parsedText } from "../../src/declaration-text.ts";
import { quoted } from "../../src/shell-words.ts";
import { tagLine, takeOverTags } from "../../src/tag-lines.ts";
import { UsageError } from "../../src/usage-error.ts";

test.each([
  ["name: a: b", "YAML: line 1, column 7: A value with a colon in it needs quotes."],
  ["name: a\ncomponents: [", "YAML: line 2, column 14: The closing ] is missing, or isn't indented."],
  ['{\n  "components": [ }\n}', "JSON: line 2, column 19: The closing ] is missing."],
  ["a: 1\na: 2", "YAML: line 2, column 1: Map keys must be unique."],
  ["a: *b", "YAML: Unresolved alias (the anchor must be set before the alias): b."],
])("a mistake in what was typed is told in a sentence with its place: %j", (text, said) => {
  expect(() => parsedText(text)).toThrow(new UsageError(`This isn't valid ${said}`));
  expect(() => parsedText(text, "shop.yaml")).toThrow(new UsageError(`shop.yaml isn't valid ${said}`));
});

test.each([
  ["component.override.started", { owner: "Ada" }, "Ada, seen by the agent"],
  ["component.override.started", { owner: null }, "somebody unknown, seen by the agent"],
  ["component.reconcile.requested", {}, "somebody unknown, seen by the agent"],
  ["component.override.drift_changed", { parameters: [] }, "agent"],
  ["component.corrected", {}, "agent"],
])("%s by the agent, with %j, is by: %s", (type, data, by) => {
  expect(byWhom({ actor: "agent", type, data })).toBe(by);
});

test.each([
  ["permission.granted", { permissionType: "Edit", principalId: "p" }, "o, Edit for p"],
  ["permission.revoked", { permissionType: "View", principalId: "p" }, "o, View for p"],
  ["organization.updated", { changed: ["name"] }, "o"],
])("%s with %j is about: %s", (type, data, subject) => {
  expect(ofWhat({ subject: "o", type, data })).toBe(subject);
});

describe("the line that hands a resource over", () => {
  const inAzure = {
    provider: "provider-a",
    type: "Microsoft.Web/sites",
    resourceId: "/subscriptions/s/resourceGroups/g",
  };
  const inGoogle = (type: string, resourceId: string) => ({ provider: "provider-b", type, resourceId });

  test.each([
    [
      inAzure,
      "take-over",
      "az tag update --resource-id /subscriptions/s/resourceGroups/g --operation Delete --tags managed-by=platform",
    ],
    [
      inAzure,
      "hand-back",
      "az tag update --resource-id /subscriptions/s/resourceGroups/g --operation Merge --tags managed-by=platform platform=reconcile",
    ],
    [
      inGoogle("compute.v1.disk", "projects/p/zones/europe-west1-b/disks/data"),
      "take-over",
      "gcloud compute disks update data --project=p --zone=europe-west1-b --remove-labels=managed-by",
    ],
    [
      inGoogle("storage.v1.bucket", "projects/p/buckets/files"),
      "hand-back",
      "gcloud storage buckets update gs://files --project=p --update-labels=managed-by=platform,platform=reconcile",
    ],
    [
      inGoogle("artifactregistry.repository", "projects/p/locations/europe-west1/repositories/r"),
      "take-over",
      "gcloud artifacts repositories update r --project=p --location=europe-west1 --remove-labels=managed-by",
    ],
    [
      inGoogle("run.v2.service", "projects/p/locations/europe-west1/services/web"),
      "take-over",
      "gcloud run services update web --project=p --region=europe-west1 --remove-labels=managed-by",
    ],
  ] as const)("%j %s", (resource, what, line) => expect(tagLine(resource, what)).toBe(line));

  test("there is none for a kind whose labels gcloud doesn't change, nor for what isn't there yet", () => {
    expect(tagLine(inGoogle("cloudkms.keyRing", "projects/p/locations/l/keyRings/k"), "take-over")).toBeNull();
    expect(tagLine({ ...inAzure, resourceId: null }, "take-over")).toBeNull();
  });

  test("whatever stands in an id is one word of a shell", () => {
    expect(quoted("a b'; rm -rf $HOME #")).toBe(`'a b'\\''; rm -rf $HOME #'`);
    expect(tagLine({ ...inAzure, resourceId: "/a/$(reboot)" }, "take-over")).toContain(
      "--resource-id '/a/$(reboot)' --",
    );
  });
});

describe("a command line", () => {
  test("every operation goes by its own words, and the longest name wins", () => {
    expect(operationNames.get("environments ci-cd-profiles upsert-many")).toBe("environments.ciCdProfiles.upsertMany");
    expect(namedOperation(["environments", "secrets", "list", "a/b/c"])).toMatchObject({
      id: "environments.secrets.list",
      rest: ["a/b/c"],
    });
    expect(namedOperation(["liveSystems", "get", "x"])).toMatchObject({ id: "liveSystems.get", rest: ["x"] });
    expect(namedOperation(["environments"])).toBeNull();
  });

  test("names take words, more than once where there are several", () => {
    expect(
      takePairs(["a", "--limit", "3", "--status=Active", "--status", "ManualOverride", "--json", "--", "--b"]),
    ).toEqual({
      words: ["a", "--b"],
      isJson: true,
      hasIds: false,
      pairs: { limit: "3", status: ["Active", "ManualOverride"] },
      unfinished: null,
    });
    expect(takePairs(["--limit"])).toMatchObject({ pairs: {}, unfinished: "limit" });
  });

  test("a flag that a command doesn't have is refused with those that it has", async () => {
    await expect(takeFlags(["--wach"], { watch: { type: "boolean" } })).rejects.toThrow(
      /--wach.*Known flags: --json, --ids, --help, --watch/,
    );
  });

  test("completes word by word", () => {
    const names = ["secrets run", "environments secrets list", "environments secrets get", "status"];
    expect(completionsOf(names, ["s"])).toEqual(["secrets", "status"]);
    expect(completionsOf(names, ["environments", "secrets", ""])).toEqual(["get", "list"]);
    expect(completionsOf(names, ["nothing", ""])).toEqual([]);
  });
});

test("a table is as wide as what stands in it, and nothing in it moves the cursor", () => {
  const rows = [
    { name: "a", said: "x\u001b[2Jy\r\nz" },
    { name: "longer", said: null },
  ];
  expect(tableOf(rows, 80)).toEqual(["NAME    SAID", "a       x\\u001b[2Jy\\u000d\\u000az", "longer  –"]);
  const hidden = [{ before: null, after: "[redacted]", list: [{ key: "[redacted]", uri: "db://[redacted]@host" }] }];
  expect(tableOf(hidden, 200)[1]?.split(/ {2,}/)).toEqual([
    ...["–", "(set, hidden)", '[{"key":(set, hidden),"uri":"db://[redacted]@host"}]'],
  ]);
  expect(tableOf([{ name: "a".repeat(100) }], 10)).toEqual(["NAME", `${"a".repeat(9)}…`]);
  const now = Date.parse("2026-01-02T00:00:00Z");
  expect(
    ["2026-01-01T23:59:30Z", "2026-01-01T22:00:00Z", "2025-12-30T00:00:00Z", "2026-01-03T00:00:00Z"].map((since) =>
      ageOf(since, now),
    ),
  ).toEqual(["30 s", "2 h", "3 d", "0 s"]);
});

test("what is kept goes to its component, wherever the file lists it, and the rest of the file stays", () => {
  const text = `# ours\nname: shop\ncomponents:\n  - path: b # second here\n    parameters: {}\n  - path: a\n    parameters:\n      size: 2 # small\n      tags:\n        a/b: x\n`;
  const document: Document = parseDocument(text);
  const declaration = { document, definition: document.toJS() };
  const patch = [
    { op: "test", path: "/components/0/path", value: "a" },
    { op: "replace", path: "/components/0/parameters/size", value: 5 },
    { op: "replace", path: "/components/0/parameters/tags/a~1b", value: "y" },
  ];
  expect(keepIn(declaration, "a", patch)).toBe(2);
  expect(String(document)).toBe(text.replace("size: 2", "size: 5").replace("a/b: x", "a/b: y"));
  expect(() => keepIn(declaration, "c", patch)).toThrow("The file doesn't declare the component c.");
});

describe("a variable of secrets run", () => {
  test.each([
    ..."PATH NODE_OPTIONS NODE_PATH LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV BASH_FUNC_LS ENV IFS PYTHONPATH".split(
      " ",
    ),
    ..."PERL5OPT RUBYOPT RUBYLIB GIT_SSH_COMMAND JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS NPM_CONFIG_SCRIPT_SHELL".split(
      " ",
    ),
    ..."PROMPT_COMMAND SHELLOPTS BASHOPTS PS4 ZDOTDIR EDITOR VISUAL PAGER BROWSER LESSOPEN SSH_ASKPASS GCONV_PATH".split(
      " ",
    ),
    ..."GLIBC_TUNABLES HOSTALIASES OPENSSL_CONF SSL_CERT_FILE HTTPS_PROXY HOME XDG_CONFIG_HOME PATHEXT COMSPEC".split(
      " ",
    ),
  ])("%s is set only when it is allowed by name", (name) => {
    expect(mayBeSet(name, [])).toBe(false);
    expect(mayBeSet(name, ["OTHER", name.toLowerCase().replaceAll("_", "-")])).toBe(true);
  });

  test.each(["API_KEY", "NODE_AUTH_TOKEN", "NPM_TOKEN", "DATABASE_URL", "PATHS", "LDAP_URL", "MY_PATH", "PGPASSWORD"])(
    "%s is set",
    (name) => expect(mayBeSet(name, [])).toBe(true),
  );

  test("is named after its secret in capitals, on every system", () =>
    expect(["node-options", "Path", "_java.options"].map(variableOf)).toEqual([
      "NODE_OPTIONS",
      "PATH",
      "_JAVA_OPTIONS",
    ]));
});

test.each([
  ["provider-a", "bob@example.com", "bob@example.com"],
  ["provider-b", "bob", "bob"],
  ["provider-b", "bob@example.com", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"],
  ["provider-b", "Bob", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"],
])("a take-over in %s by %s says platform-owner=%s, which a label can contain", (provider, name, owner) => {
  const tags = takeOverTags({ provider }, { id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", name });
  expect(tags).toEqual({ "managed-by": null, platform: null, "platform-owner": owner });
  expect(takeOverTags({ provider }, null)).not.toHaveProperty("platform-owner");
});
