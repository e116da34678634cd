import { googleCloud } from "@liveplane/adapters/google-cloud";
import { expect, test } from "vitest";
import { environmentId, overrideWorld } from "../../../core/test/builders/override.ts";
import { departures } from "../descriptions/departures.ts";
import { fetchFrom } from "../simulator/in-process.ts";
import { goodToken, googleDouble, pathOf } from "./google-double.ts";

const target = { scope: "project-one", region: "westeurope", zone: "westeurope-b" };
const described = { description: "of the shop" };

/** Twenty kinds of nine services, and what is declared of each. */
const types: Readonly<Record<string, object>> = {
  "artifactregistry.v1.repository": described,
  "compute.v1.address": described,
  "compute.v1.disk": { ...described, sizeGb: "10" },
  "compute.v1.externalVpnGateway": described,
  "compute.v1.forwardingRule": { ...described, portRange: "80-80" },
  "compute.v1.image": described,
  "compute.v1.instance": { ...described, canIpForward: false },
  "compute.v1.interconnectAttachment": described,
  "compute.v1.machineImage": described,
  "compute.v1.securityPolicy": described,
  "compute.v1.snapshot": described,
  "compute.v1.vpnGateway": described,
  "compute.v1.vpnTunnel": described,
  "pubsub.v1.subscription": { ackDeadlineSeconds: 20 },
  "pubsub.v1.topic": { messageRetentionDuration: "600s" },
  "redis.v1.instance": { tier: "BASIC", memorySizeGb: 1 },
  "run.v2.job": { launchStage: "GA" },
  "run.v2.service": { ...described, ingress: "INGRESS_TRAFFIC_ALL" },
  "secretmanager.v1.secret": { replication: { automatic: {} } },
  "storage.v1.bucket": { location: "EU", versioning: { enabled: true } },
};
const systems = 25;
const ofEach = 10;

/** Resources that are there already, and live systems that adopt them. */
async function fleet() {
  const judged = departures();
  const google = googleDouble({ judged });
  const authClient = { getAccessToken: async () => ({ token: goodToken }) };
  const urlOf = (service: string) => `https://google.invalid/${service}`;
  const cloud = googleCloud({ fetch: fetchFrom(google.answer), urlOf, authClient });
  const world = overrideWorld({ clouds: ([a]) => (a === undefined ? [cloud] : [a, cloud]) });
  for (let system = 0; system < systems; system++) {
    const components = Object.entries(types).flatMap(([type, parameters], at) =>
      Array.from({ length: ofEach }, (_, number) => {
        const resourceId = cloud.resourceIdFor(type, `s${system}t${at}n${number}`, target) ?? "";
        google.putAt(pathOf(type, resourceId), target.scope, { ...parameters, labels: { "managed-by": "platform" } });
        return { path: `t${at}/n${number}`, provider: "provider-b", type, resourceId, parameters };
      }),
    );
    const mutation = await world.passing(world.create({ name: `s${system}`, environmentId, components } as never));
    expect(mutation).toMatchObject({ status: "Succeeded" });
  }
  return { google, world, judged };
}

test("five thousand components of twenty kinds are swept in a hundred read calls", { timeout: 600_000 }, async () => {
  const { google, world, judged } = await fleet();
  const sweep = async (round: string) => {
    google.seen.length = 0;
    await world.cycle();
    const lists = google.seen.filter((line) => /^GET .*[?&](maxResults|pageSize)=500/.test(line)).length;
    const direct = google.seen.length - lists;
    process.stdout.write(`${round} sweep of 5,000: ${lists} lists, ${direct} direct reads\n`);
    return { lists, direct };
  };
  for (const round of ["first", "second"]) {
    const { lists, direct } = await sweep(round);
    expect(direct).toBe(0);
    expect(lists).toBeLessThanOrEqual(100);
  }
  expect(judged.list()).toEqual([]);
});
