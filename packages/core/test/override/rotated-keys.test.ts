import { expect, test } from "vitest";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { fakeSealer } from "../../src/testing/fake-secrets.ts";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { overrideWorld } from "../builders/override.ts";

test.each(bothClouds)(
  "$provider: after a rotation, the old key is needed neither to follow a creation nor to pass on a hidden output",
  async (kind) => {
    const { declared } = toldIn(kind);
    const sealer = fakeSealer();
    const first = overrideWorld({ sealer, follows: false });
    const { store, cloudStore, runtime, consoles } = first;
    first.secrets.set("db", "s3cret");
    const reader = (path: string) => ({ path, parameters: { key: { $output: "app#password" } } });
    const app = { path: "app", parameters: { password: { $secret: "db" } } };
    const { livesystemId: id } = await first.create(declared(app));
    await first.override.mutations.advance(id);
    await consoles[kind.provider].setFaults({ slow: { takesMs: 600_000 } });
    const begun = await first.deploy(id, declared(app, reader("slow")));
    first.override.mutations.advance(id).catch(() => {});
    await runtime.advance(1_000);

    sealer.rotate();
    for (const stock of first.override.sealed)
      expect(await stock.rewrap(null, 100)).toMatchObject({ rewrapped: 2, failed: 0 });
    sealer.forgetOldKeys();
    const later = fakeRuntime({ seed: 2, now: runtime.clock.now() + 600_000 });
    const second = overrideWorld({ sealer, store, cloudStore, runtime: later, follows: false });
    second.secrets.set("db", "s3cret");
    await second.passing(second.override.mutations.advance(id));
    expect(await second.mutation(begun)).toMatchObject({ status: "Succeeded" });

    await consoles[kind.provider].setFaults({});
    const next = await second.deploy(id, declared(app, reader("slow"), reader("late")));
    await second.passing(second.override.mutations.advance(id));
    expect(await second.mutation(next)).toMatchObject({ status: "Succeeded" });
    const { items } = await consoles[kind.provider].list();
    expect(items.map(({ parameters }) => parameters)).toEqual([
      { password: "s3cret" },
      { key: "s3cret" },
      { key: "s3cret" },
    ]);
  },
);
