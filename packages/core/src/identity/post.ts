import { createMailAllowances } from "../mail/mail-allowances.ts";
import { createMailRoom } from "../mail/mail-room.ts";
import type { Services } from "../services.ts";
import { createChallenges } from "./challenges.ts";
import { createRecovery } from "./recovery.ts";

/** Creates the mails to people: challenges and notices. */
export function createPost(
  deps: Pick<Services, "records" | "runtime" | "settings" | "claims" | "secretKey" | "formerKeys" | "mailer">,
): Pick<Services, "challenges" | "mail" | "takeAllowance" | "recovery"> {
  const challenges = createChallenges(deps);
  const mail = createMailRoom({ ...deps, challenges });
  const takeAllowance = createMailAllowances(deps);
  return { challenges, mail, takeAllowance, recovery: createRecovery({ challenges, mail, takeAllowance }) };
}
