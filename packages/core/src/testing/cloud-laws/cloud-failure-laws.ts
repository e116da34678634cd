import { isLiveplaneError } from "../../errors.ts";
import { draft, equals, holds, lookedUp, made, nothing, refused, seen } from "./cloud-expectations.ts";
import type { CloudLaw, CloudUnderTest } from "./cloud-under-test.ts";

const provider = ["ProviderError", "ProviderTimeout", "RateLimited"] as const;

/** How a cloud fails. */
export const failureLaws: readonly CloudLaw[] = [
  {
    name: "is unreadable when a read fails: never missing, never thrown",
    async check(under) {
      const ref = await made(under, "first");
      for (const fault of ["fail", "throttle", "lose-answer"] as const) {
        await under.break("read", fault);
        equals((await under.cloud.read(ref, under.call)).state, "unreadable", `a read under ${fault}`);
        equals(
          (await under.cloud.read(nothing(under), under.call)).state,
          "unreadable",
          `a read of nothing under ${fault}`,
        );
      }
      await under.break("read", null);
      await seen(under, ref);
    },
  },
  {
    name: "is unreadable, each one, when a bulk read fails",
    async check(under) {
      if (under.cloud.capabilities.bulkReadSize < 2) return;
      const refs = [await made(under, "first"), nothing(under)];
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
      await refused("ProviderCredentialsRejected", () => cloud.create(draft(under, "first"), rejected));
      await refused("ProviderCredentialsRejected", () =>
        cloud.locations(target.scope, target.tenantId ?? null, rejected),
      );
    },
  },
  {
    name: "says how long to wait when it is throttled",
    async check(under) {
      const ref = await made(under, "first");
      await under.break("write", "throttle");
      const error = await refused("RateLimited", () =>
        under.cloud.removeTag(ref, "stage", {}, under.call).then(() => under.cloud.remove(ref, {}, under.call)),
      );
      holds(error.retryable, "a throttled call isn't retryable");
      holds((error.details.retryAfterSeconds ?? 0) > 0, "retryAfterSeconds is missing");
      await under.break("write", null);
      await under.break("read", "throttle");
      const reading = await under.cloud.read(ref, under.call);
      holds(reading.state === "unreadable" && (reading.retryAfterMs ?? 0) > 0, "retryAfterMs is missing");
    },
  },
  {
    name: "changes nothing when a write fails, and says that trying again may help",
    async check(under) {
      const ref = await made(under, "first");
      const before = await seen(under, ref);
      await under.break("write", "fail");
      const change = { parameters: [{ pointer: "/size", value: "changed" }], tags: {} };
      const error = await refused(provider, () => under.cloud.update(ref, change, {}, under.call));
      holds(error.retryable, "a failed call isn't retryable");
      holds(error.details.outcome !== "unknown", "the outcome of a failed call reads unknown");
      await refused(provider, () => under.cloud.create(draft(under, "second"), under.call));
      await under.break("write", null);
      equals(await seen(under, ref), before, "the resource");
      equals(await lookedUp(under, "second"), null, "what was created");
    },
  },
  {
    name: "says that the outcome is unknown when an answer is lost",
    async check(under) {
      const ref = await made(under, "first");
      await under.break("write", "lose-answer");
      const change = { parameters: [{ pointer: "/size", value: "changed" }], tags: {} };
      const error = await refused(provider, () => under.cloud.update(ref, change, {}, under.call));
      equals(error.details.outcome, "unknown", "the outcome");
      await under.break("write", null);
      equals((await seen(under, ref)).parameters.size, "changed", "the parameter");
    },
  },
  {
    name: "finds what was created when the answer was lost: by its id, else by its intent",
    async check(under) {
      await under.break("write", "lose-answer");
      const error = await refused(provider, () => under.cloud.create(draft(under, "first"), under.call));
      equals(error.details.outcome, "unknown", "the outcome");
      await under.break("write", null);
      const found = await lookedUp(under, "first");
      holds(found !== null, "what was created isn't found");
      equals((await seen(under, found)).tags, { stage: "test" }, "the tags");
      equals(await lookedUp(under, "none"), null, "what was never made");
      await under.byHand.remove(found.resourceId);
      equals(await lookedUp(under, "first"), null, "what is gone");
    },
  },
  {
    name: "begins nothing for a caller who has gone",
    async check(under) {
      const call = { ...under.call, signal: AbortSignal.abort() };
      await refused("Aborted", () => under.cloud.create(draft(under, "first"), call));
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
  const error = await refused([...provider, "ProviderCredentialsRejected"], work);
  const told: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    told.push(at.message, at.stack ?? "", isLiveplaneError(at) ? JSON.stringify(at.details) : "");
  }
  const distinctive = secret !== undefined && secret.length >= 8;
  holds(!distinctive || !told.join("\n").includes(secret), `an error of ${under.cloud.provider} holds the credential`);
}
