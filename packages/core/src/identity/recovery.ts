import type { ServiceAccountOwner } from "../permissions/account-directory.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";
import { type AccountRecord, accounts } from "./account-record.ts";

/** Secures an account: pending challenges end, and the owner is told. */
export interface Recovery {
  /** The password was changed, reset or set. */
  passwordChanged(change: Change, account: AccountRecord): Promise<void>;
  /** The account changes its address. */
  emailLeft(change: Change, account: AccountRecord): Promise<void>;
  /** The account was suspended, deleted or purged. */
  stopped(change: Change, account: Pick<AccountRecord, "id">): Promise<void>;
  /** Sign-in was locked. The subject begins with an account's ID, or with a word if the name is nobody's, which takes the same work. */
  locked(change: Change, subject: string): Promise<void>;
  secretIssued(change: Change, owner: ServiceAccountOwner): Promise<void>;
}

/** Creates the consequences of each recovery step. */
export function createRecovery({
  challenges,
  mail,
  takeAllowance,
}: Pick<Services, "mail" | "takeAllowance" | "challenges">): Recovery {
  return {
    async passwordChanged(change, { id, email }) {
      await challenges.endAll(change, id);
      if (email !== null) mail.queue(change, { to: email, kind: "passwordChanged" });
    },
    async emailLeft(change, { id, email }) {
      await challenges.endAll(change, id);
      if (email !== null) mail.queue(change, { to: email, kind: "emailChanged" });
    },
    stopped: (change, { id }) => challenges.endAll(change, id),
    async locked(change, subject) {
      const email = (await change.get(accounts, [subject.split(" ")[0] ?? ""]))?.email ?? null;
      const isTold = await takeAllowance(change, email, "locked");
      mail.queue(change, { to: isTold ? email : null, kind: "locked" });
    },
    async secretIssued(change, { type, id }) {
      const account = type === "Account" ? await change.get(accounts, [id]) : null;
      if (account?.email) mail.queue(change, { to: account.email, kind: "secretIssued" });
    },
  };
}
