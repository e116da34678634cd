import { generateKeyPairSync } from "node:crypto";
import { SecretValue } from "@liveplane/core/clouds";
import { describe, expect, onTestFinished, test } from "vitest";
import { departures } from "../descriptions/departures.ts";
import { serviceAccount } from "./google-double.ts";
import { googleUnderTest, serviceAccountKey, target } from "./google-world.ts";

const judged = departures();

async function opened() {
  const under = await googleUnderTest("storage.v1.bucket", judged);
  onTestFinished(() => under.google.close());
  return { ...under, ref: { type: under.type, resourceId: "projects/project-one/buckets/first" } };
}

test("turns a key into a token once, at its own address alone", async () => {
  const { cloud, call, ref, google } = await opened();
  await cloud.read(ref, call);
  await Promise.all(Array.from({ length: 5 }, () => cloud.read(ref, call)));
  expect(google.tokens()).toBe(1);
  const another = { credentials: { ...call.credentials, name: "another@x.y" } };
  expect((await cloud.read(ref, another)).state).toBe("unreadable");
});

test("rejects what is no key, and quotes nothing of it", async () => {
  const { cloud, ref, target: to } = await opened();
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const otherKey = other.export({ type: "pkcs8", format: "pem" });
  for (const secret of [
    "",
    "canary",
    '"canary"',
    '{"client_email":"a@b.c"}',
    '{"client_email":"a@b.c","private_key":"canary"}',
    serviceAccountKey.replace("MII", "NII"),
    JSON.stringify({ ...JSON.parse(serviceAccountKey), private_key: otherKey }),
  ]) {
    const credentials = { kind: "serviceAccountKey", name: serviceAccount, secret: new SecretValue(secret) } as const;
    const error = await cloud.locations(to.scope, null, { credentials }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "ProviderCredentialsRejected" });
    for (let at: unknown = error; at instanceof Error; at = at.cause)
      expect(JSON.stringify(at) + at.message + at.stack).not.toMatch(/canary|PRIVATE KEY/);
    expect(await cloud.read(ref, { credentials })).toMatchObject({ state: "unreadable" });
  }
});

test("lists the regions that are up, with what is known of them", async () => {
  const { cloud, call } = await opened();
  const located = (name: string, displayName: string, geography: string | null) => {
    return { id: `projects/project-one/locations/${name}`, name, displayName, geography };
  };
  expect(await cloud.locations("project-one", null, call)).toEqual([
    located("europe-west1", "Belgium", "Europe"),
    located("us-central1", "Iowa", "United States"),
    located("mars-north1", "mars-north1", null),
  ]);
});

describe("an initialization", () => {
  const { zone: _, ...beforehand } = target;
  const request = { name: "lp-env-0123456789", target: beforehand, tags: { by: "liveplane" }, outputs: {} };

  test("makes each thing once, and answers the ids and what workloads need", async () => {
    const { cloud, call, google } = await opened();
    const outputs: unknown[] = [];
    for (const { name } of cloud.initializationSteps(target, request.name))
      outputs.push(await cloud.runStep(name, request, call));
    expect(outputs).toEqual([
      {
        id: "projects/project-one/services/compute.googleapis.com",
        name: "compute.googleapis.com",
        zone: "europe-west1-b",
      },
      {
        id: "projects/project-one/serviceAccounts/lp-env-0123456789",
        name: "lp-env-0123456789",
        email: "lp-env-0123456789@project-one.iam.gserviceaccount.com",
      },
      {
        id: "projects/project-one/locations/europe-west1/cloudkms/keyRings/lp-env-0123456789",
        name: "lp-env-0123456789",
      },
      { id: "projects/project-one/buckets/lp-env-0123456789", name: "lp-env-0123456789" },
    ]);
    expect(google.paths().filter((path) => path.includes("lp-env"))).toHaveLength(3);
  });

  test("asks which zones are up, and says where none is", async () => {
    const { cloud, call } = await opened();
    const nowhere = { ...request, target: { ...beforehand, region: "mars-north1" } };
    await expect(cloud.runStep("services", nowhere, call)).rejects.toMatchObject({
      code: "ProviderError",
      retryable: false,
      message: expect.stringContaining("mars-north1"),
    });
  });

  test("is run again while Google switches services on", async () => {
    const { cloud, call, google } = await opened();
    google.switchOff("project-one", "compute");
    google.slow({ takesMs: "until finished" });
    const working = { details: { outcome: "working", retryAfterSeconds: 10 } };
    await expect(cloud.runStep("services", request, call)).rejects.toMatchObject(working);
    google.finish();
    expect(await cloud.runStep("services", request, call)).toMatchObject({ zone: "europe-west1-b" });
  });

  test("doesn't take somebody else's bucket for its own", async () => {
    const { cloud, call, google } = await opened();
    google.putAt("/storage/storage/v1/b/lp-env-0123456789", "project-two", {});
    await expect(cloud.runStep("state-bucket", request, call)).rejects.toMatchObject({
      code: "ProviderError",
      retryable: false,
    });
  });
});

// Stands last: what the tests above sent and were answered is judged.
test("departs in nothing from what Google publishes", () => expect(judged.list()).toEqual([]));
