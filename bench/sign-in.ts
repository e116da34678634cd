import { monitorEventLoopDelay } from "node:perf_hooks";
import { argon2Hasher } from "@liveplane/adapters/argon2-hasher";
import { joseTokens } from "@liveplane/adapters/jose-tokens";
import { webRuntime } from "../packages/core/src/ports/web-runtime.ts";
import { identityWorld, password } from "../packages/core/test/builders/identity.ts";
import type { Bench, Ratio } from "./harness.ts";

const atOnce = 32;

/** Sign-ins with argon2id at its usual cost and signed tokens, against the bare hash: everything around it should cost little. */
export const bench: Bench = {
  name: "sign-in",
  async run({ quick, compare }) {
    const hasher = await argon2Hasher();
    const tokens = await joseTokens();
    const { person, signIn } = await identityWorld({ validateAnswers: false }, undefined, {
      runtime: webRuntime(),
      hasher,
      tokens,
    });
    await person("ada");
    const hash = await hasher.hash(password);
    const count = quick ? 2 : atOnce;
    const inParallel = (work: () => Promise<unknown>) => () => Promise.all(Array.from({ length: count }, work));
    const ours = inParallel(() => signIn("ada"));
    const bare = inParallel(() => hasher.verify(hash, password));
    const name = `${count} sign-ins at once`;
    return [
      ...(await compare({
        what: name,
        ours: { name: "liveplane", work: ours, count },
        peers: [{ name: "argon2id alone", work: bare, count, goal: 0.8 }],
        unit: "sign-ins/s",
        rounds: 9,
      })),
      await delays(name, ours, bare),
    ];
  },
};

/** The p99 of the event loop's delay. */
async function delays(what: string, ours: () => Promise<unknown>, bare: () => Promise<unknown>): Promise<Ratio> {
  const [own, others] = [await delayOf(ours), await delayOf(bare)];
  const names = { bench: "sign-in", what: `event-loop delay, p99: ${what}`, peer: "argon2id alone" };
  return { ...names, ratio: others / own, goal: null, unit: "ms", ours: own, theirs: others };
}

async function delayOf(work: () => Promise<unknown>): Promise<number> {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  for (let round = 0; round < 3; round++) await work();
  histogram.disable();
  return histogram.percentile(99) / 1e6;
}
