import type { Actor } from "../contract/target.ts";
import type { TakeAllowance } from "../mail/mail-allowances.ts";
import type { MailRoom } from "../mail/mail-room.ts";
import type { PasswordHasher } from "../ports/identity.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Change, Records } from "../records/records.ts";
import type { Lockout } from "../sessions/lockout.ts";
import type { Challenges } from "./challenges.ts";
import type { IsCommonPassword } from "./common-passwords.ts";
import type { AccountOf } from "./own-account.ts";
import type { Recovery } from "./recovery.ts";

/** What accounts need. */
export interface AccountsDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly hasher: PasswordHasher;
  readonly isCommonPassword: IsCommonPassword;
  readonly challenges: Challenges;
  readonly mail: MailRoom;
  readonly takeAllowance: TakeAllowance;
  readonly recovery: Recovery;
  readonly lockout: Lockout;
  readonly isOperator: (actor: Actor) => boolean;
  /** Starts an account on a subscription of its own; answers its id. */
  readonly startSubscription: (change: Change, accountId: string) => Promise<string> | string;
  readonly accountOf: AccountOf;
  /** Makes the service account of an account; answers its id. */
  readonly createPrincipal: (change: Change, accountId: string) => Promise<string>;
  /** Moves a session into its account's new epoch, so that it goes on while all others end. */
  readonly keepSession: (change: Change, sessionId: string, epoch: number) => Promise<void>;
}
