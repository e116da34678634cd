import { nowText, toHex, utf8 } from "../encoding.ts";
import type { Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import {
  type FactorEntry,
  factorPlace,
  factorsOf,
  type PasskeyFactor,
  type RecoveryCodesFactor,
  type TotpFactor,
} from "./factor-record.ts";
import { isCountedOn, type JudgedPasskey } from "./passkeys.ts";
import { stepOfCode, toBase32 } from "./totp.ts";

type CodeServices = Pick<Services, "runtime" | "sealer">;

/** A factor whose code was used, among the factors of its account. */
export interface SpentFactor {
  readonly all: readonly FactorEntry[];
  readonly changed: FactorEntry;
}

/** The factor that a code belongs to, before the change that uses it: opening a secret may call a key service. */
type JudgedCode =
  | { readonly kind: "totp"; readonly factorId: string; readonly step: number }
  | { readonly kind: "recoveryCodes"; readonly digest: string };

/** What was given as a factor, once it is judged. */
export type JudgedFactor = JudgedCode | JudgedPasskey;

const recoveryCodeCount = 10;
const recoveryCodeBytes = 15;

/** A code as it is compared: people type spaces and hyphens. */
function plain(code: string): string {
  return code.replaceAll(/[\s-]/g, "").toUpperCase();
}

/** Finds out which factor a code is of, and whether it is right. `null`: of none. */
export async function judgeCode(
  deps: CodeServices,
  reader: Reader,
  { accountId, code }: { readonly accountId: string; readonly code: string },
): Promise<JudgedCode | null> {
  const typed = plain(code);
  if (typed.length > 6) return { kind: "recoveryCodes", digest: await digestOf(deps, typed) };
  const now = deps.runtime.clock.now();
  for (const factor of await factorsOf(reader, accountId)) {
    if (factor.kind !== "totp") continue;
    const secret = await deps.sealer.open(factor.sealed, factorPlace(accountId, factor.id));
    const step = await stepOfCode(deps.runtime.crypto, secret, { code: typed, now });
    if (step !== null) return { kind: "totp", factorId: factor.id, step };
  }
  return null;
}

/** What using a judged factor changes: to be stored in the same change. `null`: it was used before, or the factor is gone. */
export async function spendFactor(
  deps: Pick<Services, "runtime">,
  change: Reader,
  { accountId, judged }: { readonly accountId: string; readonly judged: JudgedFactor | null },
): Promise<SpentFactor | null> {
  const all = judged === null ? [] : await factorsOf(change, accountId);
  for (const factor of all) {
    const spent = judged && spentBy(factor, judged);
    if (!spent) continue;
    return { all, changed: { ...spent, lastUsedAt: nowText(deps) } };
  }
  return null;
}

function spentBy(factor: FactorEntry, judged: JudgedFactor): FactorEntry | null {
  if (factor.kind === "totp" && judged.kind === "totp")
    return factor.id === judged.factorId ? withStep(factor, judged.step) : null;
  if (factor.kind === "recoveryCodes" && judged.kind === "recoveryCodes") return without(factor, judged.digest);
  if (factor.kind === "passkey" && judged.kind === "passkey")
    return factor.id === judged.factorId ? withCounter(factor, judged.counter) : null;
  return null;
}

/** A counter that doesn't go on shows that the passkey was copied. */
function withCounter(factor: PasskeyFactor, counter: number): PasskeyFactor | null {
  return isCountedOn(factor.counter, counter) ? { ...factor, counter } : null;
}

/** An app that no code has confirmed is no factor. Of each app, a step is used once, and none before it. */
function withStep(factor: TotpFactor, step: number): TotpFactor | null {
  return factor.lastStep !== null && step > factor.lastStep ? { ...factor, lastStep: step } : null;
}

function without(factor: RecoveryCodesFactor, digest: string): RecoveryCodesFactor | null {
  const digests = factor.digests.filter((known) => known !== digest);
  return digests.length < factor.digests.length ? { ...factor, digests } : null;
}

/** New recovery codes, in groups of four letters and digits, and their digests. */
export async function makeRecoveryCodes(
  deps: Pick<Services, "runtime">,
): Promise<{ readonly codes: string[]; readonly digests: string[] }> {
  const plains = Array.from({ length: recoveryCodeCount }, () =>
    toBase32(deps.runtime.crypto.random(recoveryCodeBytes)),
  );
  const digests = await Promise.all(plains.map((code) => digestOf(deps, code)));
  return { codes: plains.map((code) => code.toLowerCase().replaceAll(/.{4}(?=.)/g, "$&-")), digests };
}

async function digestOf({ runtime }: Pick<Services, "runtime">, plainCode: string): Promise<string> {
  return toHex(await runtime.crypto.digest(utf8(plainCode)));
}
