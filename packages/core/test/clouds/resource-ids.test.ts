import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { azureFacts } from "../../src/clouds/facts/azure-facts.ts";
import type { CloudFacts } from "../../src/clouds/facts/cloud-facts.ts";
import { googleFacts } from "../../src/clouds/facts/google-facts.ts";

const subscription = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const azure = { scope: subscription, region: "westeurope", container: "lp-dev" };
const google = { scope: "project-one", region: "europe-west1" };
const group = `/subscriptions/${subscription}/resourceGroups/lp-dev`;
const site = "Microsoft.Web/sites@2024-04-01";
const subnet = "Microsoft.Network/virtualNetworks/subnets@2024-05-01";
const lock = "Microsoft.Authorization/locks@2020-05-01";

const idOf = (facts: CloudFacts, type: string, id: string, target = facts === azureFacts ? azure : google) => {
  const parsed = facts.parseResourceId(type, id, target);
  return "refused" in parsed ? null : parsed.id;
};

describe("Azure", () => {
  test.each([
    [site, `${group}/providers/Microsoft.Web/sites/shop`, "shop"],
    [subnet, `${group}/providers/Microsoft.Network/virtualNetworks/net/subnets/a`, "net/a"],
    ["Microsoft.Resources/resourceGroups@2024-03-01", group, "lp-dev"],
    [lock, `${group}/providers/Microsoft.Authorization/locks/keep`, "keep"],
    [lock, `${group}/providers/Microsoft.Web/sites/shop/providers/Microsoft.Authorization/locks/keep`, "keep"],
    ["Microsoft.Network/privateDnsZones/A", `${group}/providers/Microsoft.Network/privateDnsZones/x.y/A/@`, "x.y/@"],
  ])("takes an id of %s in its own group", (type, id, name) => {
    expect(azureFacts.parseResourceId(type, id, azure)).toEqual({ id, name });
  });

  test("takes every case for one id, in the words of Azure, the target and the type", () => {
    const id = `${group}/providers/Microsoft.Web/sites/shop`;
    for (const spelling of [id.toLowerCase(), id.replace("Microsoft.Web", "MICROSOFT.web").replace("Groups", "groups")])
      expect(idOf(azureFacts, site, spelling)).toBe(id);
    expect(idOf(azureFacts, site, id.toUpperCase())).toBe(id.replace("shop", "SHOP"));
  });

  test.each([
    ["another subscription", `${group}/providers/Microsoft.Web/sites/shop`.replace("c3301", "c3302")],
    ["another group", `${group}2/providers/Microsoft.Web/sites/shop`],
    ["the group itself", group],
    ["no group", `/subscriptions/${subscription}/providers/Microsoft.Web/sites/shop`],
    ["another type", `${group}/providers/Microsoft.Web/plans/shop`],
    ["a child", `${group}/providers/Microsoft.Web/sites/shop/slots/a`],
    ["another namespace", `${group}/providers/Microsoft.Weber/sites/shop`],
    ["no name", `${group}/providers/Microsoft.Web/sites`],
    ["nothing behind providers", `${group}/providers`],
    ["a tenant's", "/providers/Microsoft.Web/sites/shop"],
  ])("refuses the id of %s", (_, id) => {
    expect(azureFacts.parseResourceId(site, id, azure)).toMatchObject({ refused: "resourceId" });
  });

  test("takes any group of the subscription where the target names none", () => {
    const { container: _, ...whole } = azure;
    const id = `/subscriptions/${subscription}/resourceGroups/other/providers/Microsoft.Web/sites/shop`;
    expect(azureFacts.parseResourceId(site, id, whole)).toEqual({ id, name: "shop" });
  });

  test.each([
    "site",
    "Microsoft.Web",
    "Microsoft.Web/",
    "/sites",
    "Microsoft.Web/../sites",
    "Microsoft.Web/a b/c",
    "M.Web/sites?x",
  ])("refuses the type %s, which makes no id", (type) => {
    expect(azureFacts.parseResourceId(type, "", azure)).toMatchObject({ refused: "type" });
  });

  test.each(["@", "@latest", "@2024-04-01&x=y", "@2024-04-01/../..", "@2024-04-01@2024-04-01"])(
    "refuses the version %s, which is none",
    (version) => {
      expect(azureFacts.parseResourceId(`Microsoft.Web/sites${version}`, "", azure)).toMatchObject({ refused: "type" });
    },
  );
});

describe("Google", () => {
  test.each([
    ["storage.v1.bucket", "projects/project-one/buckets/data"],
    ["compute.v1.network", "projects/project-one/global/networks/net"],
    ["compute.v1.disk", "projects/project-one/zones/europe-west1-b/disks/d"],
    ["compute.v1.address", "projects/project-one/regions/us-east1/addresses/a"],
    ["run.v2.service", "projects/project-one/locations/us-east1/run/services/web"],
    ["artifactregistry.v1.repository", "projects/project-one/locations/eu/artifactregistry/repositories/r"],
    ["iam.v1.serviceAccount", "projects/project-one/serviceAccounts/a@project-one.iam.gserviceaccount.com"],
  ])("takes an id of %s anywhere in its project", (type, id) => {
    expect(googleFacts.parseResourceId(type, id, google)).toEqual({ id, name: id.split("/").at(-1) });
  });

  test("takes a service's own name of a resource for the same id", () => {
    const own = "projects/project-one/locations/eu/services/web";
    expect(idOf(googleFacts, "run.v2.service", own)).toBe("projects/project-one/locations/eu/run/services/web");
  });

  test.each([
    ["storage.v1.bucket", "projects/project-two/buckets/data"],
    ["storage.v1.bucket", "projects/PROJECT-ONE/buckets/data"],
    ["storage.v1.bucket", "projects/project-one/bucket/data"],
    ["storage.v1.bucket", "projects/project-one/global/buckets/data"],
    ["storage.v1.bucket", "projects/project-one/buckets/data/o"],
    ["storage.v1.bucket", "/projects/project-one/buckets/data"],
    ["storage.v1.bucket", "organizations/project-one/buckets/data"],
    ["compute.v1.network", "projects/project-one/regions/eu/networks/net"],
    ["compute.v1.disk", "projects/project-one/disks/d"],
    ["compute.v1.disk", "projects/project-one/locations/eu/disks/d"],
    ["run.v2.service", "projects/project-one/locations/eu/redis/services/web"],
    ["run.v2.service", "projects/project-one/locations/eu/run/more/services/web"],
    ["run.v2.service", "projects/project-one/services/web"],
  ])("refuses for %s the id %s", (type, id) => {
    expect(googleFacts.parseResourceId(type, id, google)).toMatchObject({ refused: "resourceId" });
  });

  test.each(["v1", "a/b", "run..service", "run.v2.", "run.v2.serv ice", "run.v2.service?x"])(
    "refuses the type %s, which makes no id",
    (type) => {
      expect(googleFacts.parseResourceId(type, "", google)).toMatchObject({ refused: "type" });
    },
  );
});

const part = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("subnets", "services", "run", "eu", "net") },
  fc.constantFrom(
    "..",
    ".",
    "",
    "%2e%2e",
    "a?b",
    "a#b",
    "a\\b",
    "@",
    ":8443",
    "a b",
    "a\u0000",
    "ä",
    "providers",
    "//",
  ),
  fc.stringMatching(/^[A-Za-z0-9._~!$&'()*+,;=:@-]{1,12}$/),
);
const ways = [
  { facts: azureFacts, type: site, target: azure, base: `${group}/providers/Microsoft.Web/sites/` },
  { facts: azureFacts, type: subnet, target: azure, base: `${group}/providers/Microsoft.Network/virtualNetworks/` },
  { facts: googleFacts, type: "storage.v1.bucket", target: google, base: "projects/project-one/buckets/" },
  { facts: googleFacts, type: "run.v2.service", target: google, base: "projects/project-one/locations/" },
] as const;

test.each(ways)(
  "what $type accepts is a path of its cloud, as it is, in the target",
  ({ facts, type, target, base }) => {
    const written = fc.tuple(fc.constantFrom(base, ""), fc.array(part, { maxLength: 8 }));
    let accepted = 0;
    fc.assert(
      fc.property(written, ([start, parts]) => {
        const parsed = facts.parseResourceId(type, start + parts.join("/"), target);
        if ("refused" in parsed) return;
        accepted += 1;
        const path = parsed.id.startsWith("/") ? parsed.id : `/${parsed.id}`;
        const url = new URL(`https://cloud.example${path}?api-version=1`);
        expect(url.origin).toBe("https://cloud.example");
        expect(url.pathname).toBe(path);
        expect([url.search, url.hash, url.username]).toEqual(["?api-version=1", "", ""]);
        expect(parsed.id.toLowerCase()).toContain(
          base.split("/").slice(0, 5).join("/").toLowerCase().replace(/\/$/, ""),
        );
        expect(facts.parseResourceId(type, parsed.id, target)).toEqual(parsed);
      }),
      { numRuns: 2000, seed: 13 },
    );
    expect(accepted).toBeGreaterThan(0);
  },
);

test.each([
  [azureFacts, site, "shop", `${group}/providers/Microsoft.Web/sites/shop`],
  [azureFacts, subnet, "net/a", `${group}/providers/Microsoft.Network/virtualNetworks/net/subnets/a`],
  [azureFacts, "Microsoft.Resources/resourceGroups@2024-03-01", "lp-dev", group],
  [googleFacts, "storage.v1.bucket", "data", "projects/project-one/buckets/data"],
  [googleFacts, "compute.v1.network", "net", "projects/project-one/global/networks/net"],
  [googleFacts, "run.v2.service", "web", "projects/project-one/locations/europe-west1/run/services/web"],
] as const)("makes ids as the vendors do (%#)", (facts, type, name, id) => {
  expect(facts.resourceIdFor(type, name, facts === azureFacts ? azure : google)).toBe(id);
});

test.each(ways)("the ids that $type makes of good names are accepted, with the name", ({ facts, type, target }) => {
  const kinds = facts === azureFacts ? type.split("/").length - 1 : 1;
  const name = fc.array(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/), { minLength: kinds, maxLength: kinds });
  fc.assert(
    fc.property(name, (segments) => {
      const wanted = segments.join("/");
      const id = facts.resourceIdFor(type, wanted, target);
      expect(facts.parseResourceId(type, id, target)).toEqual({ id, name: wanted });
    }),
    { numRuns: 500, seed: 13 },
  );
});
