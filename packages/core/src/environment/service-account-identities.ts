import type { Handlers } from "../contract/handler.ts";
import { actorName, environmentName } from "../contract/target.ts";
import { listedInMemory } from "../records/listed.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";
import type { KeptIdentity } from "../sessions/credential-record.ts";
import { changeIn, foundContent } from "./contents.ts";
import { requireEnvironment } from "./environment-record.ts";
import type { PrincipalRegistry } from "./principal-registry.ts";
import { type AssignmentRecord, findAssignment } from "./service-account-record.ts";

type Operation = Extract<keyof Handlers<"environments">, `environments.serviceAccounts.federatedIdentities.${string}`>;

/** Creates the operations on the pipelines that may sign in as a service account. */
export function createServiceAccountIdentities({
  records,
  pages,
  principals: { identities },
}: Pick<Services, "records" | "pages"> & { readonly principals: PrincipalRegistry }): Pick<
  Handlers<"environments">,
  Operation
> {
  return {
    "environments.serviceAccounts.federatedIdentities.list": async ({ actor, params, query }) => {
      const environment = await requireEnvironment(records, params);
      const { principalId, environmentId } = foundContent(
        await findAssignment(records, environment, params.principalId),
      );
      const all = await identities.list(records, { principalId, environment: environmentId });
      const bind = [actorName(actor), "federatedIdentities", environmentName(environmentId), principalId];
      const page = await pages.page(listedInMemory(all), { ...query, bind });
      return { value: { ...page, items: page.items.map(({ version: _version, ...identity }) => identity) } };
    },
    "environments.serviceAccounts.federatedIdentities.create": async (call) => {
      const value = await changeIn(records, call, async (change, environment) => {
        const role = foundContent(await findAssignment(change, environment, call.params.principalId));
        const place = { principalId: role.principalId, environment: role.environmentId };
        const made = await identities.add(change, place, { ...call.body, createdBy: actorName(call.actor) });
        tell(change, "service_account.identity_added", role, made);
        return made;
      });
      return { value, made: true };
    },
    "environments.serviceAccounts.federatedIdentities.delete": async (call) => {
      const value = await changeIn(records, call, async (change, environment) => {
        const role = foundContent(await findAssignment(change, environment, call.params.principalId));
        const place = { principalId: role.principalId, environment: role.environmentId };
        const gone = foundContent(await identities.remove(change, place, call.params.identityId));
        tell(change, "service_account.identity_removed", role, gone);
        return gone;
      });
      return { value };
    },
  };
}

function tell(
  change: Change,
  type: "service_account.identity_added" | "service_account.identity_removed",
  { environmentId, principalId }: AssignmentRecord,
  { id: identityId, issuer, subject: pattern }: KeptIdentity,
): void {
  const about = { kind: "environment", ...environmentId } as const;
  change.emit({ type, subject: principalId, about, data: { principalId, identityId, issuer, pattern } });
}
