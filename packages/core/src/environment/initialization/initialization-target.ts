import { invalid } from "../../contract/invalid.ts";
import { projectPattern } from "../../contract/schemas/values.ts";
import type { CloudLocation } from "../../ports/cloud.ts";
import type { Json } from "../../ports/store.ts";
import type { InitializationRunRecord, Provider, RunTarget } from "./initialization-run.ts";

/** The target that a caller asks for. */
export interface TargetWish {
  readonly tenantId?: string | null | undefined;
  readonly subscriptionId?: string | null | undefined;
  readonly organizationId?: string | null | undefined;
  readonly projectId?: string | null | undefined;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The target of an initialization: from the body, otherwise from the environment's parameters, otherwise `ProviderTargetMissing`. */
export function runTarget(provider: Provider, wish: TargetWish, parameters: Readonly<Record<string, Json>>): RunTarget {
  const given = (name: keyof TargetWish, fits: (value: string) => boolean): string | null => {
    const value = wish[name] ?? parameters[name];
    return typeof value === "string" && fits(value) ? value : null;
  };
  const isUuid = (value: string) => uuid.test(value);
  const isName = (value: string) => value.length > 0 && value.length <= 256;
  if (provider === "provider-a") {
    const subscriptionId = given("subscriptionId", isUuid);
    if (subscriptionId === null) throw missing("subscriptionId");
    return { tenantId: given("tenantId", isUuid)?.toLowerCase() ?? null, subscriptionId: subscriptionId.toLowerCase() };
  }
  const projectId = given("projectId", (value) => isName(value) && projectPattern.test(value));
  if (projectId === null) throw missing("projectId");
  return { organizationId: given("organizationId", isName), projectId };
}

function missing(member: string) {
  const detail = `Send ${member}, or set it in the environment's parameters.`;
  return invalid([{ pointer: `#/${member}`, code: "ProviderTargetMissing", detail }]);
}

/** Whether two targets are the same. */
function isSameTarget(a: RunTarget, b: RunTarget): boolean {
  const left: Readonly<Record<string, unknown>> = { ...a };
  const right: Readonly<Record<string, unknown>> = { ...b };
  return (
    Object.keys(left).length === Object.keys(right).length &&
    Object.keys(left).every((name) => left[name] === right[name])
  );
}

/** The location with that name, ignoring case and spaces; `null` if the cloud doesn't have it. */
export function locationNamed(locations: readonly CloudLocation[], region: string): CloudLocation | null {
  const wanted = plain(region);
  return locations.find(({ name, displayName }) => plain(name) === wanted || plain(displayName) === wanted) ?? null;
}

/** Whether two spellings name the same region. */
function isSameRegion(a: string, b: string): boolean {
  return plain(a) === plain(b);
}

function plain(region: string): string {
  return region.toLowerCase().replaceAll(" ", "");
}

/** What an initialization call asks for. */
type Wanted = Pick<InitializationRunRecord, "target" | "wantedRegion" | "region">;

/** A running or completed run also answers everybody who asks for the same. */
export function answersFor(known: InitializationRunRecord, asked: Wanted): boolean {
  return (known.status === "InProgress" || known.status === "Completed") && asksForSame(known, asked);
}

/**
 * Whether a run has the same target and region. A region matches as requested then or as the cloud names it; the cloud is asked only if
 * neither matches.
 */
export function asksForSame(known: InitializationRunRecord, { target, wantedRegion, region }: Wanted): boolean {
  if (!isSameTarget(known.target, target)) return false;
  if (known.wantedRegion === null && wantedRegion === null) return true;
  const spellings = [known.region, known.wantedRegion].flatMap((one) => one ?? []);
  return region !== null && spellings.some((one) => isSameRegion(one, region));
}
