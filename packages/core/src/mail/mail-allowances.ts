import { signInName, toHex, utf8 } from "../encoding.ts";
import { collection } from "../records/collection.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";
import type { MailKind } from "./mail-letters.ts";

/** When an address was last mailed to because somebody asked, who may be anybody. */
interface AllowanceRecord {
  readonly address: string;
  readonly kind: MailKind;
  readonly times: readonly number[];
}

const allowances = collection<AllowanceRecord>()("mail-allowance", { key: ({ address, kind }) => [address, kind] });

const mostMails = 3;
const dayMs = 86_400_000;

/**
 * Takes one mail of a kind to an address out of what strangers may cause; `false`: it has had enough, and nothing is to change.
 *
 * Mails with challenges are counted over a challenge's life: anyone who has had enough has one that is still good.
 */
export type TakeAllowance = (change: Change, to: string | null, kind: MailKind) => Promise<boolean>;

/** Builds the count of mails that one address gets because of strangers. */
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
    // What lies ahead was written before a clock was set back.
    const times = (known?.times ?? []).filter((time) => time <= now && time > now - windowMs);
    if (times.length >= mostMails) return false;
    change.put(allowances, { address, kind, times: [...times, now] }, { expiresAt: now + windowMs });
    return true;
  };
}
