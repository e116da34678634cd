import { toHex, utf8 } from "../../encoding.ts";
import type { DeviceAuthorizer, DeviceGrant, DeviceOutcome } from "../../ports/identity.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Json, Key, Store } from "../../ports/store.ts";

/** A sign-in by another device, as the simulated identity service stores it. */
interface Device {
  readonly userCode: string;
  readonly tenantId: string;
  /** The digest of the device code, which is secret. */
  readonly digest: string;
  readonly status: "Pending" | "Completed" | "Denied";
  readonly expiresAt: number;
  readonly credentialExpiresAt: number | null;
  readonly polledAt: number | null;
  readonly intervalMs: number;
}

/** How a simulated identity service behaves. */
export interface SimulatedDevicesOptions {
  readonly provider: string;
  readonly store: Store;
  readonly runtime: Runtime;
  /** The console's address, whose page Simulator takes the code. @default named in words */
  readonly consoleUrl?: string;
  /** @default 900 */
  readonly expiresInSeconds?: number;
  /** @default 1 */
  readonly intervalSeconds?: number;
  /** Lifetime of a delegated credential. @default 3600 */
  readonly credentialSeconds?: number;
}

/** The identity service of a simulated cloud, and the person at the other device. */
export interface SimulatedDevices extends DeviceAuthorizer {
  /** Decides a pending sign-in; `null` if no such code is pending. */
  decide(
    userCode: string,
    status: "Completed" | "Denied",
  ): Promise<{ readonly userCode: string; readonly status: string } | null>;
}

/** Simulates device authorization (RFC 8628), `slow_down` and expiry included. */
export function simulatedDevices(options: SimulatedDevicesOptions): SimulatedDevices {
  const { provider, store, runtime, expiresInSeconds = 900, intervalSeconds = 1, credentialSeconds = 3600 } = options;
  const { clock, crypto } = runtime;
  const keyOf = (userCode: string): Key => ["simulated-cloud", provider, "device", userCode];
  const digest = async (code: string) => toHex(await crypto.digest(utf8(code)));

  const change = (userCode: string, work: (device: Device) => Device) => changed(store, keyOf(userCode), work);

  return {
    async begin(tenantId): Promise<DeviceGrant> {
      const userCode = newUserCode(crypto.random(8));
      const deviceCode = `${userCode}.${toHex(crypto.random(32))}`;
      const expiresAt = clock.now() + expiresInSeconds * 1000;
      const device: Device = {
        userCode,
        tenantId,
        digest: await digest(deviceCode),
        status: "Pending",
        expiresAt,
        credentialExpiresAt: null,
        polledAt: null,
        intervalMs: intervalSeconds * 1000,
      };
      await store.commit({
        sets: [{ key: keyOf(userCode), value: device as unknown as Json, expiresAt: expiresAt + keptMs }],
      });
      const verificationUri = pageIn(options);
      const message = `This cloud is simulated. An operator enters the code ${userCode} at ${verificationUri}.`;
      return { deviceCode, userCode, verificationUri, message, expiresInSeconds, intervalSeconds };
    },

    async poll(tenantId, deviceCode): Promise<DeviceOutcome> {
      const [userCode = ""] = deviceCode.split(".");
      const presented = await digest(deviceCode);
      const now = clock.now();
      let slowDown = false;
      const device = await change(userCode, (known) => {
        slowDown = known.polledAt !== null && now - known.polledAt < known.intervalMs;
        return { ...known, polledAt: now, intervalMs: known.intervalMs + (slowDown ? 5000 : 0) };
      });
      if (device === null || device.digest !== presented || device.tenantId !== tenantId) return { status: "Expired" };
      if (device.status === "Denied") return { status: "Denied" };
      if (device.status === "Completed" && device.credentialExpiresAt !== null) {
        return { status: "Completed", credential: `simulated.${presented}`, expiresAt: device.credentialExpiresAt };
      }
      return now >= device.expiresAt ? { status: "Expired" } : { status: "Pending", slowDown };
    },

    async decide(userCode, status) {
      let decided = false;
      const device = await change(userCode.toUpperCase(), (known) => {
        decided = known.status === "Pending" && clock.now() < known.expiresAt;
        return decided ? { ...known, status, credentialExpiresAt: clock.now() + credentialSeconds * 1000 } : known;
      });
      return decided && device !== null ? { userCode: device.userCode, status: device.status } : null;
    },
  };
}

/** A finished sign-in is kept, so that a later poll learns how it ended. */
const keptMs = 86_400_000;

async function changed(store: Store, key: Key, work: (device: Device) => Device): Promise<Device | null> {
  for (;;) {
    const [entry = null] = await store.get([key]);
    if (entry === null) return null;
    const device = entry.value as unknown as Device;
    const after = work(device);
    if (after === device) return device;
    const sets = [{ key, value: after as unknown as Json, expiresAt: device.expiresAt + keptMs }];
    if ((await store.commit({ checks: [{ key, version: entry.version }], sets })) !== null) return after;
  }
}

/** Where the person enters the code. */
function pageIn({ consoleUrl = "" }: SimulatedDevicesOptions): string {
  return consoleUrl === "" ? "the Simulator page of the console" : `${consoleUrl.replace(/\/+$/, "")}/#/simulator`;
}

/** No vowels and no similar characters, as RFC 8628 §6.1 advises. */
function newUserCode(random: Uint8Array): string {
  const letters = "BCDFGHJKLMNPQRSTVWXZ";
  const code = Array.from(random, (byte) => letters[byte % letters.length]).join("");
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
