import { isLiveplaneError } from "../../errors.ts";
import {
  changedIn,
  changeOf,
  cloudHolds,
  draft,
  equals,
  lookedUp,
  made,
  nothingThere,
  refusal,
  seenInCloud,
  tagged,
} from "./cloud-expectations.ts";
import type { CloudLaw, CloudUnderTest } from "./cloud-under-test.ts";

const provider = ["ProviderError", "ProviderTimeout", "RateLimited"] as const;

/** How a cloud must fail. */
export const failureLaws: readonly CloudLaw[] = [
  {
    name: "is unreadable when a read fails: never missing, never thrown",
    async check(under) {
      const ref = await made(under, "first");
      for (const fault of ["fail", "throttle", "lose-answer"] as const) {
        await under.break("read", fault);
        equals((await under.cloud.read(ref, under.call)).state, "unreadable", `a read under ${fault}`);
        equals(
          (await under.cloud.read(nothingThere(under), under.call)).state,
          "unreadable",
          `a read of nothing under ${fault}`,
        );
      }
      await under.break("read", null);
      await seenInCloud(under, ref);
    },
  },
  {
    name: "is unreadable, each one, when a bulk read fails",
    async check(under) {
      if (under.cloud.capabilities.bulkReadSize < 2) return;
      const refs = [await made(under, "first"), nothingThere(under)];
      await under.break("bulk", "fail");
      const states = (await under.cloud.readMany(refs, under.call)).map(({ state }) => state);
      equals(states, ["unreadable", "unreadable"], "the bulk read");
    },
  },
  {
    name: "is unreadable to credentials that it rejects",
    async check(under) {
      const ref = await made(under, "first");
      equals((await under.cloud.read(ref, under.rejected)).state, "unreadable", "the reading");
    },
  },
  {
    name: "rejects credentials by their own code",
    async check(under) {
      const { cloud, rejected, target } = under;
      await refusal("ProviderCredentialsRejected", () => cloud.create(draft(under, "first"), rejected));
      await refusal("ProviderCredentialsRejected", () =>
        cloud.locations(target.scope, target.tenantId ?? null, rejected),
      );
    },
  },
  {
    name: "says how long to wait when it is throttled",
    async check(under) {
      const ref = await made(under, "first");
      await under.break("write", "throttle");
      const error = await refusal("RateLimited", () =>
        under.cloud.removeTag(ref, "stage", {}, under.call).then(() => under.cloud.remove(ref, {}, under.call)),
      );
      cloudHolds(error.retryable, "a throttled call isn't retryable");
      cloudHolds((error.details.retryAfterSeconds ?? 0) > 0, "retryAfterSeconds is missing");
      await under.break("write", null);
      await under.break("read", "throttle");
      const reading = await under.cloud.read(ref, under.call);
      cloudHolds(reading.state === "unreadable" && (reading.retryAfterMs ?? 0) > 0, "retryAfterMs is missing");
    },
  },
  {
    name: "changes nothing when a write fails, and says that trying again may help",
    async check(under) {
      const ref = await made(under, "first");
      const before = await seenInCloud(under, ref);
      await under.break("write", "fail");
      const change = changeOf(under);
      const error = await refusal(provider, () => under.cloud.update(ref, change, {}, under.call));
      cloudHolds(error.retryable, "a failed call isn't retryable");
      cloudHolds(error.details.outcome !== "unknown", "the outcome of a failed call reads unknown");
      await refusal(provider, () => under.cloud.create(draft(under, "second"), under.call));
      await under.break("write", null);
      equals(await seenInCloud(under, ref), before, "the resource");
      equals(await lookedUp(under, "second"), null, "what was created");
    },
  },
  {
    name: "says that the outcome is unknown when an answer is lost",
    async check(under) {
      const ref = await made(under, "first");
      await under.break("write", "lose-answer");
      const change = changeOf(under);
      const error = await refusal(provider, () => under.cloud.update(ref, change, {}, under.call));
      equals(error.details.outcome, "unknown", "the outcome");
      await under.break("write", null);
      equals(changedIn(under, await seenInCloud(under, ref)), "changed", "the parameter");
    },
  },
  {
    name: "finds what was created when the answer was lost: by its id, else by its intent",
    async check(under) {
      await under.break("write", "lose-answer");
      const error = await refusal(provider, () => under.cloud.create(draft(under, "first"), under.call));
      equals(error.details.outcome, "unknown", "the outcome");
      await under.break("write", null);
      const found = await lookedUp(under, "first");
      cloudHolds(found !== null, "what was created isn't found");
      equals((await seenInCloud(under, found)).tags, tagged(under), "the tags");
      equals(await lookedUp(under, "none"), null, "what was never made");
      await under.byHand.remove(found.resourceId);
      equals(await lookedUp(under, "first"), null, "what is gone");
    },
  },
  {
    name: "begins nothing for a caller who has gone",
    async check(under) {
      const call = { ...under.call, signal: AbortSignal.abort() };
      await refusal("Aborted", () => under.cloud.create(draft(under, "first"), call));
      equals(await lookedUp(under, "first"), null, "what was created");
    },
  },
  {
    name: "lets no credential out",
    async check(under) {
      await under.break("write", "fail");
      for (const call of [under.call, under.rejected])
        await saysNothingOf(under, call.credentials.secret?.reveal(), () =>
          under.cloud.create(draft(under, "first"), call),
        );
    },
  },
];

async function saysNothingOf(
  under: CloudUnderTest,
  secret: string | undefined,
  work: () => Promise<unknown>,
): Promise<void> {
  const error = await refusal([...provider, "ProviderCredentialsRejected"], work);
  const told: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    told.push(at.message, at.stack ?? "", isLiveplaneError(at) ? JSON.stringify(at.details) : "");
  }
  const distinctive = secret !== undefined && secret.length >= 8;
  cloudHolds(
    !distinctive || !told.join("\n").includes(secret),
    `an error of ${under.cloud.provider} holds the credential`,
  );
}
