import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LiveplaneEvent } from "@liveplane/core/contract";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { sharedPostgres } from "../../adapters/test/postgres.ts";
import { canCertify, type OwnAuthority, ownAuthority } from "../../adapters/test/webhooks/own-authority.ts";
import { stranger } from "../../adapters/test/webhooks/webhook-stranger.ts";
import { beginStory, register, steps, type Teller, take } from "./override-story-steps.ts";
import { operatorPassword } from "./running-server.ts";
import { ownPort, type ServerProcess, startProcess } from "./server-process.ts";

let authority: OwnAuthority | null = null;
beforeAll(() => {
  authority = canCertify ? ownAuthority() : null;
  return () => authority?.end();
});

/** A server that is killed when its receiver has taken certain messages, before it hears so, and starts again. */
async function tellingServer(settings: Readonly<Record<string, string>>, fatal: ReadonlySet<number>) {
  const { tls, file } = authority ?? ownAuthority();
  const dataDir = mkdtempSync(join(tmpdir(), "liveplane-webhooks-"));
  let server: Promise<ServerProcess> | null = null;
  const receiver = await stranger({
    tls,
    async onMessage(nth) {
      if (!fatal.has(nth)) return undefined;
      const dying = await server;
      dying?.child.kill("SIGKILL");
      await dying?.ended;
      server = start();
      return "nothing";
    },
  });
  const environment = {
    ...{ PORT: await ownPort(), LIVEPLANE_CHECK_SECONDS: "0.3", LIVEPLANE_LOG: "silent" },
    ...{ NODE_EXTRA_CA_CERTS: file, LIVEPLANE_WEBHOOK_ORIGINS: receiver.origin },
    ...settings,
  };
  const start = () => startProcess(dataDir, environment);
  server = start();
  onTestFinished(async () => {
    const last = await server;
    last?.child.kill("SIGKILL");
    await last?.ended;
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { receiver, url: (await server).url };
}

/** What the log tells its owner, up to an event of that type. */
async function logged({ api }: Teller, until: string): Promise<LiveplaneEvent[]> {
  const events: LiveplaneEvent[] = [];
  for await (const event of api.events.follow({ after: 0 })) {
    events.push(event);
    if (event.type === until) break;
  }
  return events;
}

async function tell(settings: Readonly<Record<string, string>>, fatal: readonly number[]): Promise<void> {
  const { receiver, url } = await tellingServer(settings, new Set(fatal));
  const teller = await register(url, operatorPassword);
  const { secret } = await teller.api.accounts.webhooks.create({ name: "Stranger", url: `${receiver.origin}/hook` });
  const stories = ["one", "two"].map((name) => beginStory(teller, name));
  await Promise.all(
    stories.map(async (story) => {
      for (const step of steps.slice(0, 4)) await take(step, story);
    }),
  );
  await teller.api.accounts.resourceGroups.upsert({ shortName: "last" }, {});
  const log = await logged(teller, "resource_group.created");
  const owed = log.slice(log.findIndex(({ type }) => type === "webhook.created")).map(({ id }) => id);
  const missing = () => {
    const come = new Set(receiver.verified(secret).map(({ id }) => id));
    return owed.filter((id) => !come.has(id));
  };
  await expect.poll(missing, { timeout: 60_000, interval: 200 }).toEqual([]);
  const told = receiver.verified(secret);
  // Each event at its first coming.
  const sequences = [...new Set(told.map(({ sequence }) => sequence))];
  expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
  // What was taken by the receiver and written down by nobody comes again.
  for (const nth of fatal) {
    const id = told[nth - 1]?.id;
    expect(told.filter((one) => one.id === id).length).toBeGreaterThan(1);
  }
}

test.skipIf(!canCertify)(
  "a server that is killed between sending and writing down sends each event at least once, over TLS, in order",
  { timeout: 120_000 },
  () => tell({}, [2, 9]),
);

test.skipIf(!canCertify)("a server with pg-boss, over Postgres, does the same", { timeout: 120_000 }, async () => {
  const postgres = await sharedPostgres();
  const key = { LIVEPLANE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };
  await tell({ ...key, DATABASE_URL: await postgres.freshSchema(), LIVEPLANE_SCHEDULER: "pg-boss" }, []);
});
