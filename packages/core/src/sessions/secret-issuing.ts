import type { Answer, Handlers } from "../contract/handler.ts";
import type { IssuedSecret } from "../contract/schemas/environment-schemas.ts";
import type { EventTarget } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { accounts } from "../identity/account-record.ts";
import type { Cause, Change, Reader, Records } from "../records/records.ts";
import type { ServiceAccountCredentials } from "./service-accounts.ts";

/** What issuing secrets to the service accounts of accounts and organizations takes. */
export interface SecretIssuingDeps {
  readonly records: Records;
  readonly credentials: Pick<ServiceAccountCredentials, "issue">;
  /** The organization's service account; `null`: there is no such organization. */
  readonly organizationPrincipal: (reader: Reader, organizationId: string) => Promise<string | null>;
}

type SecretIssuing = Pick<Handlers<"accounts">, "accounts.issueServiceAccountSecret"> &
  Pick<Handlers<"organizations">, "organizations.issueServiceAccountSecret">;

/** Creates the operations by which an account and an organization get secrets for their service account. */
export function createSecretIssuing(deps: SecretIssuingDeps): SecretIssuing {
  const { organizationPrincipal } = deps;
  return {
    "accounts.issueServiceAccountSecret": async ({ actor, body, cause }) => {
      if (actor.kind !== "account")
        throw new LiveplaneError("PermissionDenied", "A service account's secrets are issued by its person.");
      const about = { kind: "account", accountId: actor.accountId } as const;
      return issue(deps, { cause, about, expiresAt: body.expiresAt ?? null }, async (change) => {
        const account = await change.get(accounts, [actor.accountId]);
        if (account?.serviceAccountId) return account.serviceAccountId;
        throw new LiveplaneError("InvalidState", "The account has no service account yet.");
      });
    },
    "organizations.issueServiceAccountSecret": async ({ params: { organizationId }, body, cause }) => {
      const about = { kind: "organization", organizationId } as const;
      return issue(deps, { cause, about, expiresAt: body.expiresAt ?? null }, async (change) => {
        const principalId = await organizationPrincipal(change, organizationId);
        if (principalId !== null) return principalId;
        throw new LiveplaneError("NotFound");
      });
    },
  };
}

interface Asked {
  readonly cause: Cause;
  readonly about: EventTarget;
  readonly expiresAt: string | null;
}

/** Issues a secret to the service account that `find` gives, and tells of it. */
async function issue(
  { records, credentials }: SecretIssuingDeps,
  { cause, about, expiresAt }: Asked,
  find: (change: Change) => Promise<string>,
): Promise<Answer<IssuedSecret>> {
  const value = await records.change(cause, async (change) => {
    const subject = await find(change);
    const issued = await credentials.issue(change, subject, null, expiresAt);
    const data = { principalId: subject, secretId: issued.id };
    change.emit({ type: "service_account.secret_issued", subject, about, data });
    return issued;
  });
  return { value, made: true };
}
