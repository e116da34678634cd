import { createHash } from "node:crypto";
import { planOf, simulate } from "../src/index.ts";

/** A digest of all that happens under a seed, line by line. */
export async function traceDigest(seed: number): Promise<string> {
  const digest = createHash("sha256");
  await simulate(planOf(seed), { onStep: (line) => void digest.update(`${line}\n`) });
  return digest.digest("hex");
}

if (import.meta.main) {
  let last = "";
  for (const seed of process.argv.slice(2)) last = await traceDigest(Number(seed));
  console.log(last);
}
