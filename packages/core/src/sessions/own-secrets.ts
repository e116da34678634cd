import type { Page } from "../contract/api.ts";
import type { Answer, Call, Handlers } from "../contract/handler.ts";
import type { IssuedSecret, ServiceAccountSecret } from "../contract/schemas/environment-schemas.ts";
import type { EventTarget } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { accounts } from "../identity/account-record.ts";
import { factorMissing, lacksFactor } from "../permissions/actors.ts";
import { authorizations, organizationsOf } from "../permissions/grants.ts";
import { listedInMemory } from "../records/listed.ts";
import type { Cause, Change, PageRequest, Reader } from "../records/records.ts";
import type { Services } from "../services.ts";

type Secret = "issueServiceAccountSecret" | "listServiceAccountSecrets" | "revokeServiceAccountSecret";
type OwnSecrets = Pick<Handlers<"accounts">, `accounts.${Secret}`> &
  Pick<Handlers<"organizations">, `organizations.${Secret}`>;

/** Creates the handlers for the secrets of an account's and an organization's own service account. */
export function createOwnSecrets(
  deps: Pick<Services, "records" | "pages" | "credentials"> & {
    readonly organizationPrincipal: (reader: Reader, organizationId: string) => Promise<string | null>;
  },
): OwnSecrets {
  return {
    "accounts.issueServiceAccountSecret": async ({ body, cause, ...call }) =>
      issue(deps, accountsOwn(deps, call), { cause, expiresAt: body.expiresAt ?? null }),
    "accounts.listServiceAccountSecrets": async ({ query, ...call }) => list(deps, accountsOwn(deps, call), query),
    "accounts.revokeServiceAccountSecret": async ({ params: { secretId }, cause, ...call }) =>
      revoke(deps, accountsOwn(deps, call), { cause, secretId }),
    "organizations.issueServiceAccountSecret": async ({ params, body, cause }) =>
      issue(deps, organizationsOwn(deps, params), { cause, expiresAt: body.expiresAt ?? null }),
    "organizations.listServiceAccountSecrets": async ({ params, query }) =>
      list(deps, organizationsOwn(deps, params), query),
    "organizations.revokeServiceAccountSecret": async ({ params, cause }) =>
      revoke(deps, organizationsOwn(deps, params), { cause, secretId: params.secretId }),
  };
}

/** The owner of the service account. */
interface OwnPrincipal {
  readonly about: EventTarget;
  /** What a cursor is bound to. */
  readonly bind: readonly string[];
  /** The service account; `null` if none was created yet. */
  find(reader: Reader): Promise<string | null>;
  /** Throws if the caller may not get a secret for it. */
  requireIssuable?(reader: Reader, principalId: string): Promise<void>;
}

function accountsOwn(
  { records }: Pick<Services, "records">,
  { actor }: Pick<Call<"accounts.me">, "actor">,
): OwnPrincipal {
  if (actor.kind !== "account")
    throw new LiveplaneError(
      "PermissionDenied",
      "Only the owner can manage a service account's secrets. Sign in with your own account.",
    );
  const { accountId } = actor;
  return {
    about: { kind: "account", accountId },
    bind: [accountId, "accounts.listServiceAccountSecrets"],
    find: async (reader) => (await reader.get(accounts, [accountId]))?.serviceAccountId ?? null,
    /** With a secret, somebody without a second factor would enter an organization that requires one. */
    async requireIssuable(reader, principalId) {
      for (const id of await organizationsOf(records, principalId)) {
        const authorization = await reader.get(authorizations, [id]);
        if (authorization !== null && lacksFactor(actor, authorization)) throw factorMissing();
      }
    },
  };
}

function organizationsOwn(
  {
    organizationPrincipal,
  }: { readonly organizationPrincipal: (reader: Reader, organizationId: string) => Promise<string | null> },
  { organizationId }: { readonly organizationId: string },
): OwnPrincipal {
  return {
    about: { kind: "organization", organizationId },
    bind: [organizationId, "organizations.listServiceAccountSecrets"],
    async find(reader) {
      const principalId = await organizationPrincipal(reader, organizationId);
      if (principalId === null) throw new LiveplaneError("NotFound");
      return principalId;
    },
  };
}

async function issue(
  { records, credentials }: Pick<Services, "records" | "credentials">,
  { about, find, requireIssuable }: OwnPrincipal,
  { cause, expiresAt }: { readonly cause: Cause; readonly expiresAt: string | null },
): Promise<Answer<IssuedSecret>> {
  const value = await records.change(cause, async (change) => {
    const subject = await find(change);
    if (subject === null) throw new LiveplaneError("InvalidState", "The account has no service account yet.");
    await requireIssuable?.(change, subject);
    const issued = await credentials.issue(change, subject, null, expiresAt);
    tell(change, "issued", { subject, about, secretId: issued.id });
    return issued;
  });
  return { value, made: true };
}

async function list(
  { records, pages, credentials }: Pick<Services, "records" | "pages" | "credentials">,
  { find, bind }: OwnPrincipal,
  query: Omit<PageRequest, "bind">,
): Promise<Answer<Page<ServiceAccountSecret>>> {
  const principalId = await find(records);
  const secrets = principalId === null ? [] : await credentials.secrets(records, principalId, null);
  const page = await pages.page(listedInMemory(secrets), { ...query, bind });
  return { value: { ...page, items: page.items.map(({ version: _version, ...secret }) => secret) } };
}

async function revoke(
  { records, credentials }: Pick<Services, "records" | "credentials">,
  { about, find }: OwnPrincipal,
  { cause, secretId }: { readonly cause: Cause; readonly secretId: string },
): Promise<Answer<true>> {
  await records.change(cause, async (change) => {
    const subject = await find(change);
    const isRevoked = subject !== null && (await credentials.revoke(change, subject, null, secretId));
    if (!isRevoked) throw new LiveplaneError("NotFound");
    tell(change, "revoked", { subject, about, secretId });
  });
  return { value: true };
}

interface Told {
  readonly subject: string;
  readonly about: EventTarget;
  readonly secretId: string;
}

function tell(change: Change, what: "issued" | "revoked", { subject, about, secretId }: Told): void {
  change.emit({ type: `service_account.secret_${what}`, subject, about, data: { principalId: subject, secretId } });
}
