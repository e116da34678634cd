import { expect, test } from "vitest";
import aws from "../../tables/aws.json" with { type: "json" };
import azure from "../../tables/azure.json" with { type: "json" };
import google from "../../tables/google.json" with { type: "json" };
import { typePages } from "../../tables/reference.ts";

const pages = typePages();
const sections = new Map(
  Object.entries(pages)
    .filter(([file]) => !file.startsWith("aws"))
    .map(([, text]) => text)
    .flatMap((text) => text.split(/^## /m).slice(1))
    .map((text) => [text.slice(0, text.indexOf("\n")), text]),
);

test("every type of both tables has a section with its members", () => {
  const types = [
    ...Object.entries(azure).map(([type, { version }]) => `${type}@${version}`),
    ...Object.entries(google).map(([kind, { version }]) => kind.replace(".", `.${version}.`)),
  ];
  expect([...sections.keys()]).toEqual(types);
  const bare = types.filter((type) => !sections.get(type)?.includes("| member | type |"));
  expect(bare).toEqual(["cloudkms.v1.keyRing"]);
});

test("each service of AWS has a page with all its types", () => {
  const sections = Object.entries(pages).flatMap(([file, text]) => {
    const [, service] = /^aws\/(\w+)\.md$/.exec(file) ?? [];
    return service === undefined ? [] : [...text.matchAll(/^## (\S+)$/gm)].map(([, type = ""]) => [service, type]);
  });
  expect(sections.map(([, type]) => type).sort()).toEqual(Object.keys(aws).sort());
  for (const [service, type] of sections) expect(type).toContain(`::${service}::`);
  const group = pages["aws/Logs.md"] ?? "";
  expect(group).toContain("| `RetentionInDays` | number |");
  expect(group).toContain("What binds a write: test.");
});

test("a section tells what is required, immutable and never shown, what binds a write, and an example", () => {
  const secret = [...sections].find(([type]) => type.startsWith("Microsoft.KeyVault/vaults/secrets@"))?.[1];
  expect(secret).toContain("What binds a write: mask.");
  expect(secret).toContain("Never shown, and secret: `/properties/value`");
  const record = sections.get("dns.v1.resourceRecordSet") ?? "";
  expect(record).toContain("Carries no tags");
  expect(record).toContain('"resourceName": "shop/www.shop.example.com./A"');
  const account = [...sections].find(([type]) => type.startsWith("Microsoft.Storage/storageAccounts@"))?.[1];
  expect(account).toMatch(/Required: .*`\/location`/);
  expect(account).toMatch(/Can't change after creation: .*`kind`/);
});

test("a section leaves out what only the cloud sets, such as a name that it chooses", () => {
  const policy = sections.get("monitoring.v3.alertPolicy") ?? "";
  expect(policy).toContain("| `displayName` | string |");
  expect(policy).not.toContain("| `name` |");
  expect(policy).not.toContain("| `creationRecord` |");
  expect(sections.get("compute.v1.disk")).toContain("| `name` | string |");
});
