import type { Actor } from "../contract/target.ts";
import { accounts, toAccountCard } from "../identity/account-record.ts";
import type { MailKind } from "../mail/mail-letters.ts";
import { accountOf } from "../permissions/actors.ts";
import { scopeOf } from "../permissions/permissions.ts";
import type { Change, Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import { organizations } from "../tenancy/organization-record.ts";

/** An account or an organization as the owner of things. */
export interface OwnerName {
  readonly type: "Account" | "Organization";
  readonly id: string;
}

/** What other areas ask about owners. */
export interface Owners {
  /**
   * `rests`: the account is suspended. `gone`: the owner was deleted or never existed. When read through a change, the answer still holds
   * at its commit.
   */
  standing(reader: Reader, owner: OwnerName): Promise<"acts" | "rests" | "gone">;
  /** Mails to the account, or to the organization's Admins. */
  mail(change: Change, owner: OwnerName, kind: MailKind): Promise<void>;
  /** The account behind an actor, which may be its service account; `null` if there is none. */
  accountOf(reader: Reader, actor: Actor): Promise<string | null>;
  /** The display name of an account; `null` if it has none or isn't an account. */
  nameOf(id: string): Promise<string | null>;
}

/** At most this many Admins get the mail. */
const mostTold = 20;

export function createOwners({
  records,
  graphs,
  mail,
  principals,
}: Pick<Services, "records" | "graphs" | "mail" | "principals">): Owners {
  async function adminsOf(reader: Reader, organizationId: string): Promise<string[]> {
    const found = await graphs.read(reader, organizationId);
    const admins = (found?.graph.allOn(scopeOf.organization) ?? []).filter(
      ({ permissionType, isPerson }) => permissionType === "Admin" && isPerson,
    );
    return admins.map(({ principalId }) => principalId).slice(0, mostTold);
  }

  return {
    async standing(reader, { type, id }) {
      if (type === "Organization") {
        const status = (await reader.get(organizations, [id]))?.status ?? "Deleted";
        return status === "Deleted" ? "gone" : "acts";
      }
      const status = (await reader.get(accounts, [id]))?.status ?? "Deleted";
      if (status === "Deleted") return "gone";
      return status === "Active" ? "acts" : "rests";
    },
    async mail(change, { type, id }, kind) {
      const ids = type === "Account" ? [id] : await adminsOf(change, id);
      const found = await change.getMany(
        accounts,
        ids.map((one) => [one]),
      );
      for (const account of found)
        if (account?.status === "Active" && account.email !== null) mail.queue(change, { to: account.email, kind });
    },
    accountOf: (reader, actor) => accountOf(actor, reader, principals),
    async nameOf(id) {
      const account = await records.get(accounts, [id]);
      return account && toAccountCard(account).name;
    },
  };
}
