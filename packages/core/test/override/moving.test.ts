import { describe, expect, test } from "vitest";
import { components } from "../../src/override/records/component-record.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { fakeSealer } from "../../src/testing/fake-secrets.ts";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { both, code } from "../builders/handed-over.ts";
import { meanwhileStore } from "../builders/meanwhile-store.ts";
import { overrideWorld } from "../builders/override.ts";
import { named, recorded } from "../builders/sites.ts";

const pathOf = (id: string) => id.slice(37);

describe.each(bothClouds)("$provider: a move", (kind) => {
  const { declared, overridden } = toldIn(kind);
  const other = { type: kind.provider === "provider-a" ? "Microsoft.Cache/Redis@2024-01-01" : "redis.v1.instance" };

  test("what is still to be deleted goes before what it depended on, though that has moved since", async () => {
    const { world, calls } = recorded();
    const { livesystemId: id } = await world.create(declared({ path: "a" }, { path: "z", dependsOn: ["a"] }));
    await world.consoles[kind.provider].setFaults({ write: "fail" });
    await world.passing(world.deploy(id, declared({ path: "b", movedFrom: "a" })));
    expect(await world.component(`${id}/z`)).toMatchObject({ leaving: true });
    await world.consoles[kind.provider].setFaults({});
    expect(await world.passing(world.deploy(id, declared()))).toMatchObject({ status: "Succeeded" });
    expect(calls.slice(2)).toEqual(["remove z", "remove a"]);
  });

  test("a component that moves keeps its resource: nothing is written, the old id is gone", async () => {
    const { world, calls } = recorded();
    const first = await world.create(
      declared({ path: "db", parameters: { size: 1 } }, { path: "app", dependsOn: ["db"] }),
    );
    const { livesystemId: id } = first;
    const old = named(first.components, "db");
    const moved = declared(
      { path: "data/db", movedFrom: "db", parameters: { size: 1 } },
      { path: "app", dependsOn: ["data/db"] },
    );
    const before = calls.length;
    const plan = await world.plan(id, moved);
    expect(
      plan.components.map(({ componentId, action, movedFrom }) => [pathOf(componentId), action, movedFrom]),
    ).toEqual([
      ["data/db", "move", old.id],
      ["app", "none", null],
    ]);
    expect(plan.warnings).toEqual([]);
    expect(await world.deploy(id, moved)).toMatchObject({ status: "Succeeded", components: { length: 2 } });
    expect(await world.component(`${id}/data/db`)).toMatchObject({ resourceId: old.resourceId, status: "Active" });
    expect(await code(world.component(old.id))).toBe("NotFound");
    expect(calls.length).toBe(before);
    const told = await world.events("component.moved");
    expect(told).toMatchObject([
      { subject: `${id}/data/db`, data: { movedFrom: old.id, from: "Active", status: "Active" } },
    ]);
    await world.deploy(id, moved);
    expect(await world.component(`${id}/data/db`)).toMatchObject({ resourceId: old.resourceId });
  });

  test("two components swap their paths, and several follow each other", async () => {
    const { world, calls } = recorded();
    const three = (b: string, c: string, moves: Record<string, string> = {}) =>
      declared(...["a", b, c].map((path) => ({ path, ...(moves[path] && { movedFrom: moves[path] }) })));
    const first = await world.create(three("b", "c"));
    const { livesystemId: id } = first;
    const at = (path: string) => named(first.components, path).resourceId;
    const before = calls.length;
    const swapped = three("b", "c", { a: "b", b: "a" });
    for (let again = 0; again < 2; again++)
      expect(await world.deploy(id, swapped)).toMatchObject({ status: "Succeeded" });
    const now = async (path: string) => (await world.component(`${id}/${path}`)).resourceId;
    expect([await now("a"), await now("b")]).toEqual([at("b"), at("a")]);
    const followed = declared({ path: "d", movedFrom: "c" }, { path: "c", movedFrom: "b" }, { path: "a" });
    expect(await world.deploy(id, followed)).toMatchObject({ status: "Succeeded" });
    expect([await now("d"), await now("c"), await now("a")]).toEqual([at("c"), at("a"), at("b")]);
    expect(calls.length).toBe(before);
  });

  test("a new component takes the path of one that moves, in the same deploy or a later one, with a resource of its own", async () => {
    const { world } = recorded();
    const first = await world.create(declared({ path: "db" }));
    const { livesystemId: id } = first;
    const ofOld = named(first.components, "db").resourceId;
    const both = declared({ path: "db-2", movedFrom: "db" }, { path: "db" });
    const plan = await world.plan(id, both);
    expect(plan.components.map(({ action }) => action)).toEqual(["move", "create"]);
    expect(await world.deploy(id, both)).toMatchObject({ status: "Succeeded" });
    expect(await world.component(`${id}/db-2`)).toMatchObject({ resourceId: ofOld });
    const ofNew = (await world.component(`${id}/db`)).resourceId;
    expect([null, ofOld]).not.toContain(ofNew);

    await world.deploy(id, declared({ path: "db-2" }, { path: "db-3", movedFrom: "db" }));
    const all = declared({ path: "db-2" }, { path: "db-3" }, { path: "db" });
    expect(await world.deploy(id, all)).toMatchObject({ status: "Succeeded" });
    const ids = await Promise.all(
      ["db-2", "db-3", "db"].map(async (path) => (await world.component(`${id}/${path}`)).resourceId),
    );
    expect(ids.slice(0, 2)).toEqual([ofOld, ofNew]);
    expect(new Set(ids).size).toBe(3);
  });

  test("an override moves along, with its ledger, its note and what is sealed of it", async () => {
    const {
      world,
      system: id,
      params,
      resourceId,
      console,
    } = await overridden({ parameters: { size: 1, password: { $secret: "db" } } }, { secrets: { db: "s3cret" } });
    await world.call("liveSystems.components.annotateOverride", { params, body: { reason: "tuning" } });
    const reader = { path: "reader", parameters: { key: { $output: "app#password" } } };
    const app = { path: "app", parameters: { size: 1, password: { $secret: "db" } } };
    await world.deploy(id, declared(app, reader));
    const moved = declared(
      { ...app, path: "main", movedFrom: "app" },
      { path: "reader", parameters: { key: { $output: "main#password" } } },
    );
    expect(await world.deploy(id, moved)).toMatchObject({ status: "Succeeded" });
    const main = { id, componentId: `${id}/main` };
    expect(await world.component(main.componentId)).toMatchObject({
      status: "ManualOverride",
      override: { reason: "tuning" },
      resourceId,
    });
    const ledger = await world.call("liveSystems.components.overrides", { params: main });
    expect(ledger).toMatchObject({ items: [{ componentId: main.componentId, reason: "tuning", endedAt: null }] });
    expect(await code(world.call("liveSystems.components.overrides", { params }))).toBe("NotFound");
    await console.patchParameters(resourceId, { size: 4 });
    await console.putTags(resourceId, both);
    await world.cycle();
    await world.cycle();
    expect(await world.component(main.componentId)).toMatchObject({ status: "Active" });
    const { items } = (await world.call("liveSystems.components.overrides", { params: main })) as { items: unknown[] };
    expect(items).toMatchObject([{ outcome: "Reconciled" }]);
    const { resourceId: at } = await world.component(`${id}/reader`);
    expect((await console.get(at ?? ""))?.parameters.key).toBe("s3cret");
  });

  test("a plan of a move shows what refers to a hidden output of the moved component", async () => {
    const world = overrideWorld({ sealer: fakeSealer() });
    world.secrets.set("db", "s3cret");
    const app = { path: "app", parameters: { password: { $secret: "db" } } };
    const readerOf = (path: string) => ({ path: "reader", parameters: { key: { $output: `${path}#password` } } });
    const { livesystemId: id } = await world.create(declared(app, readerOf("app")));
    const moved = declared({ ...app, path: "main", movedFrom: "app" }, readerOf("main"));
    const { components } = await world.plan(id, moved);
    const actions = components.map(({ componentId, action }) => [componentId.slice(37), action]);
    expect(Object.fromEntries(actions)).toEqual({ main: "move", reader: "none" });
  });

  test("a component that is renamed in one deploy while its resource is named keeps it", async () => {
    const { world, calls } = recorded();
    const first = await world.create(declared({ path: "db" }));
    const { livesystemId: id, components } = first;
    const { resourceId } = named(components, "db");
    const before = calls.length;
    expect(await world.deploy(id, declared({ path: "data", resourceId }))).toMatchObject({ status: "Succeeded" });
    expect(await world.component(`${id}/data`)).toMatchObject({ resourceId });
    expect(calls.length).toBe(before);
    expect(await world.deploy(id, declared({ path: "Data" }))).toMatchObject({ components: [{ id: `${id}/Data` }] });
  });

  test("a component that moves in the middle of a write isn't written to again until that is over", async () => {
    let meanwhile = async () => {};
    let [atOnce, most] = [0, 0];
    const watched = (cloud: Cloud): Cloud => ({
      ...cloud,
      async update(...args) {
        most = Math.max(most, ++atOnce);
        const during = meanwhile;
        meanwhile = async () => {};
        await during();
        return cloud.update(...args).finally(() => void atOnce--);
      },
    });
    const world = overrideWorld({ follows: false, clouds: (clouds) => clouds.map(watched) });
    const first = await world.create(declared({ path: "db", parameters: { size: 1 } }));
    const { livesystemId: id } = first;
    await world.override.mutations.advance(id);
    const resourceId = (await world.component(`${id}/db`)).resourceId ?? "";
    const console = world.consoles[kind.provider];
    await console.patchParameters(resourceId, { size: 7 });
    let deploying: Promise<unknown> = Promise.resolve();
    meanwhile = async () => {
      const body = declared({ path: "data/db", movedFrom: "db", parameters: { size: 2 } });
      await world.call("liveSystems.deploy", { params: { id }, body });
      deploying = world.override.mutations.advance(id);
      await world.runtime.advance(2_000);
    };
    await world.cycles(1);
    await world.runtime.during(deploying);
    expect(most).toBe(1);
    expect(await console.get(resourceId)).toMatchObject({ parameters: { size: 2 } });
    expect(await world.component(`${id}/data/db`)).toMatchObject({ conditions: { inSync: { value: true } } });
  });

  test("whoever is stored as going by a tag owner while that moves goes by its new path", async () => {
    const meanwhile = meanwhileStore(({ deletes = [] }) => deletes.some((key) => key.includes("component")));
    const world = overrideWorld({ store: meanwhile.store, follows: false });
    const rule = { path: "rule" };
    const { livesystemId: id } = await world.create(declared({ path: "net" }, { ...rule, overrideWith: "net" }));
    const governor = async () => (await world.records.get(components, [id, "rule"]))?.governedBy;
    expect(await governor()).toBeNull();
    meanwhile.before(() =>
      world.records.change({ actor: "agent", requestId: "sweep" }, async (change) => {
        const record = await change.get(components, [id, "rule"]);
        if (record !== null) change.put(components, { ...record, governedBy: "net" });
      }),
    );
    const moved = [
      { path: "data/net", movedFrom: "net" },
      { ...rule, overrideWith: "data/net" },
    ];
    await world.call("liveSystems.deploy", { params: { id }, body: declared(...moved) });
    expect(await governor()).toBe("data/net");
  });

  test("refuses a move into another type or onto what stays, and warns of one that nobody declared", async () => {
    const { world } = recorded();
    const { livesystemId: id } = await world.create(declared({ path: "db" }, { path: "app" }));
    const refused = (...components: Parameters<typeof declared>) => code(world.deploy(id, declared(...components)));
    expect(await refused({ path: "app" }, { path: "x", movedFrom: "db", ...other })).toBe("InvalidDeclaration");
    expect(await refused({ path: "app", movedFrom: "db" })).toBe("InvalidDeclaration");
    expect(await refused({ path: "app" }, { path: "x", movedFrom: "db" }, { path: "y", movedFrom: "db" })).toBe(
      "InvalidDeclaration",
    );
    const plan = await world.plan(id, declared({ path: "app" }, { path: "database" }));
    expect(plan.warnings).toMatchObject([
      {
        componentId: `${id}/db`,
        otherComponentId: `${id}/database`,
        detail: expect.stringMatching(/^db is removed while database, /),
      },
    ]);
  });
});
