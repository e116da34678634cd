import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { nodeDefaults } from "@liveplane/adapters/node";
import { openTelemetryTracer } from "@liveplane/adapters/open-telemetry";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { type Api, createLiveplane, type Mail } from "@liveplane/core";
import { type Cloud, type SimulatedCloud, simulatedConsole } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import type { Store } from "@liveplane/core/store";
import { onTestFinished } from "vitest";
import { keptSpans } from "./kept-spans.ts";
import { entriesOf } from "./rotation-world.ts";

/** What must never show, by what it is used as. More are learned on the way: what the control plane itself makes. */
export class Canaries {
  readonly #known = new Map<string, string>();

  /** A new one. */
  make(use: string): string {
    const canary = `Canary-${use}-9q7Zx4`;
    this.learn(use, canary);
    return canary;
  }

  learn(use: string, canary: string): void {
    this.#known.set(use, canary);
  }

  /** Those that a text or bytes hold, as they are, in base64 or in hex. */
  foundIn(seen: string | Buffer): string[] {
    const bytes = typeof seen === "string" ? Buffer.from(seen) : seen;
    return [...this.#known].flatMap(([use, canary]) =>
      disguises(canary).some((disguise) => bytes.includes(disguise)) ? [use] : [],
    );
  }
}

/** A text as it is, and as it looks in the middle of something that was encoded. */
function disguises(canary: string): string[] {
  const encoded = [0, 1, 2].flatMap((shift) => {
    const base64 = Buffer.from("x".repeat(shift) + canary).toString("base64");
    const inside = base64.slice(shift === 0 ? 0 : 4, -4);
    return [inside, inside.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [canary, Buffer.from(canary).toString("hex"), encodeURIComponent(canary), ...encoded];
}

/** A whole control plane with everything real but the clouds, and all that anybody could see of it written down. */
export async function watchedPlane(as: (cloud: SimulatedCloud) => Cloud = (cloud) => cloud) {
  const dataDir = mkdtempSync(join(tmpdir(), "liveplane-canary-"));
  const lines: unknown[] = [];
  const mails: Mail[] = [];
  const unsent: Mail[] = [];
  const write =
    (level: string) =>
    (...line: unknown[]) =>
      void lines.push([level, ...line]);
  const database = await sqliteStore({ file: join(dataDir, "liveplane.db") });
  const state = { mailerFails: false, storeFails: false };
  const store: Store = {
    ...database,
    async commit(commit, options) {
      if (!state.storeFails) return database.commit(commit, options);
      throw new LiveplaneError("StoreFailed", undefined, { cause: new RangeError(JSON.stringify(commit)) });
    },
  };
  const spans = keptSpans();
  const options = await nodeDefaults({
    ...{ dataDir, store },
    logger: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
    metrics: { count: write("count"), gauge: write("gauge"), observe: write("observe") },
    tracer: await openTelemetryTracer(spans),
    mailer: {
      async send(mail) {
        (state.mailerFails ? unsent : mails).push(mail);
        if (state.mailerFails) throw new TypeError(`550 rejected: ${mail.text}`);
      },
    },
    settings: { openRegistration: true, validateAnswers: true },
  });
  const liveplane = createLiveplane({
    ...options,
    clouds: { ...options.clouds, adapters: options.simulatedClouds.map(as) },
  });
  const [cloudA, cloudB] = options.simulatedClouds;
  if (cloudA === undefined || cloudB === undefined) throw new RangeError("There are two.");
  const answers: unknown[] = [];
  const errors: unknown[] = [];
  onTestFinished(async () => {
    await liveplane.stop();
    rmSync(dataDir, { recursive: true });
  });

  return {
    ...{
      liveplane,
      store,
      state,
      unsent,
      lines,
      answers,
      errors,
      console: simulatedConsole(cloudA),
      consoleB: simulatedConsole(cloudB),
    },
    as: (token?: string): Api => liveplane.as(token === undefined ? { kind: "anonymous" } : { kind: "bearer", token }),
    /** Waits for an answer in which nothing secret may stand. */
    async shown<T>(call: Promise<T>): Promise<T> {
      const answer = await call;
      answers.push(answer);
      return answer;
    },
    /** Waits for a refusal, or whatever else a bad call fails with. */
    async fails(call: Promise<unknown>): Promise<string> {
      try {
        answers.push(await call);
        return "answered";
      } catch (error) {
        errors.push(error);
        return (error as { code?: string }).code ?? String(error);
      }
    },
    /** The challenge that was mailed last to an address. */
    async mailed(to: string, count = 1): Promise<string> {
      const all = () => mails.filter((mail) => mail.to === to && mail.challenge !== undefined);
      for (let turns = 0; all().length < count; turns++) {
        if (turns > 500) throw new RangeError(`No mail came to ${to}.`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return all().at(-1)?.challenge ?? "";
    },
    /** All that can be seen, by where it can. */
    async everything(): Promise<Readonly<Record<string, string | Buffer>>> {
      await liveplane.log.sequence();
      const events = await liveplane.log.read(0, 10_000);
      const files = readdirSync(dataDir).filter((name) => name.startsWith("liveplane.db"));
      return {
        ...{ lines: deeply(lines), answers: deeply(answers), errors: errors.map(toText).join("\n") },
        events: JSON.stringify(events),
        spans: deeply(spans.told()),
        store: JSON.stringify(await entriesOf(store)),
        disk: Buffer.concat(files.map((name) => readFileSync(join(dataDir, name)))),
      };
    },
  };
}

const deeply = (value: unknown) =>
  inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxArrayLength: null, maxStringLength: null });

/** All that an error tells to whoever looks: message, details, stack and causes, printed in every way there is. */
function toText(error: unknown): string {
  const { stack, message, cause, details } = error as Error & { details?: unknown };
  const more = cause === undefined ? "" : toText(cause);
  return [deeply(error), String(error), JSON.stringify(error), JSON.stringify(details), stack, message, more].join(
    "\n",
  );
}

/** A private key as ssh-keygen makes it, encrypted where there is a passphrase. */
export function sshKey(passphrase: string): string {
  const folder = mkdtempSync(join(tmpdir(), "liveplane-canary-key-"));
  const file = join(folder, "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-a", "4", "-C", "", "-f", file]);
  const key = readFileSync(file, "utf8");
  rmSync(folder, { recursive: true });
  return key;
}

/** A line from the middle of a key: what would show of it in a store or a log. */
export const lineOf = (key: string): string => key.split("\n")[2] ?? "";
