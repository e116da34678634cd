import { signInName, toHex, utf8 } from "../encoding.ts";
import { collection } from "../records/collection.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";
import type { MailKind } from "./mail-letters.ts";

/** When an address was last mailed at the request of somebody, who may be anybody. */
interface AllowanceRecord {
  readonly address: string;
  readonly kind: MailKind;
  readonly times: readonly number[];
}

const allowances = collection<AllowanceRecord>()("mail-allowance", { key: ({ address, kind }) => [address, kind] });

const mostMails = 3;
const dayMs = 86_400_000;

/**
 * Counts a mail of a kind against what strangers may cause an address to get. `false`: the limit is reached, and nothing must change.
 *
 * Challenge mails are counted over a challenge's lifetime, so an address at its limit has a valid one.
 */
export type TakeAllowance = (change: Change, to: string | null, kind: MailKind) => Promise<boolean>;

export function createMailAllowances({ runtime, settings }: Pick<Services, "runtime" | "settings">): TakeAllowance {
  const { clock, crypto } = runtime;
  const challengeMs = settings.challengeSeconds * 1000;
  const windows: Partial<Record<MailKind, number>> = {
    activation: challengeMs,
    reset: challengeMs,
    email: challengeMs,
  };

  return async (change, to, kind) => {
    if (to === null) return false;
    const address = toHex(await crypto.digest(utf8(signInName(to))));
    const known = await change.get(allowances, [address, kind]);
    const [now, windowMs] = [clock.now(), windows[kind] ?? dayMs];
    // Times in the future were written before a clock was set back.
    const times = (known?.times ?? []).filter((time) => time <= now && time > now - windowMs);
    if (times.length >= mostMails) return false;
    change.put(allowances, { address, kind, times: [...times, now] }, { expiresAt: now + windowMs });
    return true;
  };
}
