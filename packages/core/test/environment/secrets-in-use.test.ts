import { beforeEach, expect, test } from "vitest";
import { type Again, vnet, worldOfCallers } from "../callers/world.ts";

const { again: anew, known } = await worldOfCallers();
const web = { type: "Organizational", ownerId: known.organization ?? "", shortName: "web" } as const;
const db = { ...web, secretShortName: "db" };
const using = (path: string, $secret = "DB") => ({ ...vnet, path, parameters: { nested: [{ key: { $secret } }] } });

let again: Again;
beforeEach(async () => {
  again = await anew();
});

async function deploy(name: string, ...components: readonly object[]) {
  const made = { name, environmentId: web, components: [...components] } as const;
  return (await again.as("owner").liveSystems.create(made as never)).livesystemId;
}
const remove = () => again.refusal("owner", "environments.secrets.delete", [db]);

test("a secret that components use stays, and the refusal names them", async () => {
  await again.as("owner").environments.secrets.create(web, { shortName: "other", value: "x" });
  await deploy("bakery", using("oven"), using("till", "db"), using("door", "other"), vnet);
  await deploy("gallery", using("frame"));
  expect(await remove()).toMatchObject({
    ...{ code: "SecretInUse", status: 409 },
    message:
      "3 components use it: bakery/oven, bakery/till, gallery/frame. Deploy without it first, or give it a new value.",
  });
  expect((await again.as("owner").environments.secrets.get(db)).currentVersion).toBe(1);
});

test("ten are named, and the others counted", async () => {
  await deploy("bakery", ...Array.from({ length: 12 }, (_, at) => using(`c${at}`)));
  expect((await remove())?.message).toMatch(/^12 components use it: bakery\/c0, .*, bakery\/c9 and 2 more\. Deploy/);
});

test("it can be deleted once no declaration names it, or its live system is being deleted", async () => {
  const { liveSystems } = again.as("owner");
  const [changed, deleted] = [await deploy("bakery", using("oven")), await deploy("gallery", using("frame"))];
  await liveSystems.deploy({ id: changed }, { name: "bakery", environmentId: web, components: [vnet] });
  expect((await remove())?.message).toContain("1 component uses it: gallery/frame.");
  await liveSystems.delete({ id: deleted });
  expect(await remove()).toBeNull();
});

test("its absence and a stale version are told first", async () => {
  await deploy("bakery", using("oven"));
  const at = (args: readonly unknown[]) => again.refusal("owner", "environments.secrets.delete", args);
  expect(await at([{ ...web, secretShortName: "none" }])).toMatchObject({ code: "NotFound" });
  expect(await at([db, { ifMatch: '"none"' }])).toMatchObject({ code: "PreconditionFailed" });
});
