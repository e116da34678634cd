import type { Answer, Call, Handlers } from "../contract/handler.ts";
import { nowText } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { CostlyWork } from "../ports/costly-work.ts";
import type { Services } from "../services.ts";
import { accounts, emitAccount, findBySignIn } from "./account-record.ts";
import type { ChallengeRecord } from "./challenges.ts";
import { challengeOf, requireStrong } from "./passwords.ts";

type Operation = "accounts.activate" | "accounts.activateById";
type Activate = Pick<Call<"accounts.activate">, "actor" | "body" | "cause" | "signal">;

/** Creates the uses of a mailed activation: the account's first password, or its new address. */
export function createActivation(
  deps: Pick<Services, "records" | "runtime" | "hasher" | "isCommonPassword" | "mail" | "challenges" | "recovery">,
): Pick<Handlers<"accounts">, Operation> {
  const { records, challenges, recovery, mail } = deps;

  async function activate({ actor, body, cause, signal }: Activate, accountId?: string): Promise<Answer<true>> {
    const challenge = await challenges.open(challengeOf(actor), ["activation", "email"]);
    if (accountId !== undefined && challenge.accountId !== accountId) throw new LiveplaneError("NotFound");
    const own = { ...cause, actor: challenge.accountId };
    if (challenge.kind === "email") await confirmEmail(challenge, own);
    else await setFirstPassword(challenge, body, own, { share: challenge.accountId, signal: signal?.() });
    return { value: true };
  }

  async function setFirstPassword(
    challenge: ChallengeRecord,
    body: Activate["body"],
    cause: Activate["cause"],
    work: CostlyWork,
  ): Promise<void> {
    const before = await records.get(accounts, [challenge.accountId]);
    const password = await requireStrong(body.password, "#/password", { ...before, ...body }, deps.isCommonPassword);
    const passwordHash = await deps.hasher.hash(password, work);
    await records.change(cause, async (change) => {
      const known = await change.get(accounts, [challenge.accountId]);
      if (known?.status !== "Registered") throw new LiveplaneError("ChallengeInvalid");
      await challenges.spend(change, challenge);
      const { name = known.name, surname = known.surname } = body;
      const state = { status: "Active", challenge: "", challengeUntil: 0 } as const;
      change.put(accounts, {
        ...known,
        name,
        surname,
        passwordHash,
        ...state,
        updatedAt: nowText(deps),
        updatedBy: known.id,
      });
      emitAccount(change, "account.activated", known.id);
    });
  }

  async function confirmEmail(challenge: ChallengeRecord, cause: Activate["cause"]): Promise<void> {
    await records.change(cause, async (change) => {
      const known = await change.get(accounts, [challenge.accountId]);
      const { email } = challenge;
      if (known?.status !== "Active" || email === null) throw new LiveplaneError("ChallengeInvalid");
      const holder = await findBySignIn(change, email);
      if (holder !== null && holder.id !== known.id) throw new LiveplaneError("ChallengeInvalid");
      await challenges.spend(change, challenge);
      await recovery.emailLeft(change, known);
      change.put(accounts, { ...known, email, updatedAt: nowText(deps), updatedBy: known.id });
      emitAccount(change, "account.updated", known.id, ["email"]);
    });
    void mail.deliver();
  }

  return {
    "accounts.activate": (call) => activate(call),
    "accounts.activateById": (call) => activate(call, call.params.accountId),
  };
}
