import { cloudHolds, equals, refusal } from "./cloud-expectations.ts";
import type { CloudLaw, CloudUnderTest } from "./cloud-under-test.ts";

type Describe = NonNullable<CloudUnderTest["cloud"]["describeTypes"]>;
type Lacking = NonNullable<CloudUnderTest["lacking"]>;

/** What a cloud says about types before anything is created. Skipped if it accepts every type with an ID. */
export const typeLaws: readonly CloudLaw[] = [
  {
    name: "says of a type that it knows what its facts say, and asks nobody",
    async check(under) {
      const describe = describing(under);
      if (describe === null) return;
      await under.break("read", "fail");
      const { taggable } = under.cloud.resourceType(under.type);
      equals(await describe([under.type], under.target, under.call), [{ taggable }], "what is said of the type");
      equals(await describe([], under.target, under.call), [], "what is said of no type");
    },
  },
  {
    name: "finds no mistake in parameters that it accepts, and asks nobody",
    async check(under) {
      const { cloud, type, parameters = {} } = under;
      await under.break("read", "fail");
      equals((await cloud.judgeParameters?.(type, parameters)) ?? [], [], "the mistakes");
      await under.break("read", null);
    },
  },
  lackingLaw("describes types in the order asked for, those that it lacks too", async (under, describe, lacking) => {
    const { taggable } = under.cloud.resourceType(under.type);
    const asked = [under.type, lacking.refused, lacking.made, under.type];
    const [first, refused, made, last, ...others] = await describe(asked, under.target, under.call);
    equals(others, [], "what is said beyond what was asked");
    equals([first, last], [{ taggable }, { taggable }], "what is said of the type that it knows");
    equals(made, { taggable: lacking.taggable }, "what is said of a type that can be made");
    cloudHolds(refused !== undefined && "refused" in refused, "a type of which nothing can be made isn't refused");
  }),
  lackingLaw("names what is near where it refuses a type", async (under, describe, lacking) => {
    const [refused] = await describe([lacking.refused], under.target, under.call);
    const detail = refused !== undefined && "refused" in refused ? refused.refused : "";
    cloudHolds(detail.includes(lacking.near), `${lacking.near} isn't named in: ${detail}`);
  }),
  lackingLaw("throws where it couldn't ask of a type: never made out to be none", async (under, describe, lacking) => {
    const failures = ["ProviderError", "ProviderTimeout", "RateLimited"] as const;
    for (const fault of ["fail", "throttle", "lose-answer"] as const) {
      await under.break("read", fault);
      await refusal(failures, () => describe([lacking.made], under.target, under.call));
    }
    await under.break("read", null);
    await refusal("ProviderCredentialsRejected", () => describe([lacking.made], under.target, under.rejected));
  }),
];

function describing({ cloud }: CloudUnderTest): Describe | null {
  return cloud.describeTypes?.bind(cloud) ?? null;
}

function lackingLaw(
  name: string,
  check: (under: CloudUnderTest, describe: Describe, lacking: Lacking) => Promise<void>,
): CloudLaw {
  return {
    name,
    check: async (under) => {
      const describe = describing(under);
      if (describe !== null && under.lacking !== undefined) await check(under, describe, under.lacking);
    },
  };
}
