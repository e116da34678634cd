import { cloudName } from "../../contract/cloud-names.ts";
import type { Call, Handlers } from "../../contract/handler.ts";
import type { OperationId } from "../../contract/routes.ts";
import type { Location } from "../../contract/schemas/initialization-schemas.ts";
import { type Actor, actorName, type EnvironmentRef } from "../../contract/target.ts";
import { toHex, utf8 } from "../../encoding.ts";
import { LiveplaneError } from "../../errors.ts";
import type { CloudCredentials, CloudLocation } from "../../ports/cloud.ts";
import { listedInMemory } from "../../records/listed.ts";
import type { Services } from "../../services.ts";
import type { SentCredentials } from "./initialization-credentials.ts";
import type { Provider } from "./initialization-run.ts";

/** Which credentials are needed, and why. */
export interface CredentialsRequest {
  readonly provider: Provider;
  readonly environment: EnvironmentRef;
  readonly tenantId: string | null;
  /** The subscription or project. */
  readonly scope: string;
  readonly actor: Actor;
  readonly sent: SentCredentials;
}

/** The operations that list locations. */
export type LocationOperation = Extract<OperationId, `environments.provider${"A" | "B"}.${string}ocations`>;

/** Lists the locations that a cloud offers. */
export interface Locations {
  readonly handlers: Pick<Handlers<"environments">, LocationOperation>;
  /** The locations, cached for a while per credential. Throws the cloud's errors. */
  of(
    provider: Provider,
    scope: string,
    tenantId: string | null,
    credentials: CloudCredentials,
    signal?: AbortSignal,
  ): Promise<readonly CloudLocation[]>;
}

const mostRemembered = 1000;

/** Creates the listing of locations, with its cache. */
export function createLocations({
  runtime,
  pages,
  settings,
  cloudOf,
  credentialsOf,
}: Pick<Services, "pages" | "runtime" | "settings" | "cloudOf"> & {
  readonly credentialsOf: (request: CredentialsRequest) => Promise<CloudCredentials>;
}): Locations {
  const remembered = new Map<string, { readonly until: number; readonly locations: readonly CloudLocation[] }>();

  const of: Locations["of"] = async (provider, scope, tenantId, credentials, signal) => {
    const cloud = cloudOf(provider);
    if (cloud === null) throw new LiveplaneError("FeatureDisabled", `There is no adapter for ${cloudName(provider)}.`);
    const { kind, name, impersonates, secret } = credentials;
    const told = JSON.stringify([provider, scope, tenantId, kind, name, impersonates, secret?.reveal() ?? null]);
    const key = toHex(await runtime.crypto.digest(utf8(told)));
    const known = remembered.get(key);
    const now = runtime.clock.monotonic();
    if (known !== undefined && known.until > now) return known.locations;
    const locations = await cloud.locations(scope, tenantId, { credentials, ...(signal && { signal }) });
    remembered.delete(key);
    remembered.set(key, { until: now + settings.locationCacheSeconds * 1000, locations });
    for (const oldest of remembered.keys()) {
      if (remembered.size <= mostRemembered) break;
      remembered.delete(oldest);
    }
    return locations;
  };

  async function answer(call: Call<LocationOperation>, provider: Provider, scope: string, tenant: string | undefined) {
    const tenantId = tenant === undefined || tenant === "common" ? null : tenant;
    const { type, ownerId, shortName } = call.params;
    const environment = { type, ownerId, shortName };
    const credentials = await credentialsOf({
      provider,
      environment,
      tenantId,
      scope,
      actor: call.actor,
      sent: call.credentials,
    });
    const locations = await of(provider, scope, tenantId, credentials, call.signal?.());
    const { cursor, limit } = call.query;
    const bind = [actorName(call.actor), provider, JSON.stringify(environment), scope, tenant ?? ""];
    const page = await pages.page(listedInMemory(locations), { cursor, limit, bind });
    return { value: { ...page, items: page.items.map(toLocation) } };
  }

  return {
    of,
    handlers: {
      "environments.providerA.locations": (call) =>
        answer(call, "provider-a", call.query.subscriptionId, call.query.tenantId),
      "environments.providerA.subscriptionLocations": (call) =>
        answer(call, "provider-a", call.params.subscriptionId, call.query.tenantId),
      "environments.providerB.locations": (call) => answer(call, "provider-b", call.query.projectName, undefined),
    },
  };
}

function toLocation({ id, name, displayName, geography }: CloudLocation): Location {
  return { id, name, displayName, geography };
}
