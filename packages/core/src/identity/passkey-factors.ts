import type { Handlers } from "../contract/handler.ts";
import type { Actor } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { Services } from "../services.ts";
import { beginsNow, type FactorChanging, replaceFactors, requireFactorRoom } from "./factor-changes.ts";
import { emitFactor, factorsOf, isUsable, type PasskeyFactor, toFactor } from "./factor-record.ts";
import { ownAccount } from "./own-account.ts";

/** Creates the handlers by which people add passkeys. They are listed and removed like other factors. */
export function createPasskeyFactors(
  deps: FactorChanging & Pick<Services, "passkeys" | "tickets">,
): Pick<Handlers<"accounts">, "accounts.factors.beginPasskey" | "accounts.factors.addPasskey"> {
  const { records, runtime, mail, passkeys, tickets } = deps;
  return {
    "accounts.factors.beginPasskey": async ({ actor }) => {
      const account = await ownAccount(deps, records, actor);
      const factors = (await factorsOf(records, account.id)).filter(isUsable);
      requireFactorRoom(factors);
      return { value: await passkeys.creation(account, sessionOf(actor) ?? "", factors), made: true };
    },

    "accounts.factors.addPasskey": async ({ actor, body: { name = "Passkey", credential }, cause }) => {
      const { id: accountId } = await ownAccount(deps, records, actor);
      const sessionId = sessionOf(actor);
      const judged = await passkeys.judgeNew(credential, { accountId, sessionId: sessionId ?? "" });
      if (judged === null) throw refused();
      const { id: credentialId, response } = credential;
      const { transports = [] } = response;
      const own = { id: runtime.newId(), kind: "passkey", name } as const;
      const factor: PasskeyFactor = { ...own, ...beginsNow(deps), ...judged.key, credentialId, transports };
      await records.change(cause, async (change) => {
        const account = await ownAccount(deps, change, actor);
        const known = await factorsOf(change, accountId);
        requireFactorRoom(known.filter(isUsable));
        const isNew = !known.some((one) => one.kind === "passkey" && one.credentialId === credentialId);
        if (!isNew || !(await tickets.spend(change, judged.ticket))) throw refused();
        await replaceFactors(deps, change, { account, factors: [...known, factor], cause, sessionId });
        emitFactor(change, "factor.added", { accountId, factor });
      });
      void mail.deliver();
      return { value: toFactor(factor), made: true };
    },
  };
}

function sessionOf(actor: Actor): string | undefined {
  return actor.kind === "account" ? actor.sessionId : undefined;
}

/** The same refusal for another session's challenge, a used one, a wrong origin and a passkey without user verification. */
function refused(): LiveplaneError {
  const detail =
    "The passkey isn't valid for this session, or its ten minutes are over. Start again; the device must verify its user.";
  const errors = [{ pointer: "#/credential", code: "InvalidCredentials", detail }] as const;
  return new LiveplaneError("InvalidCredentials", detail, { status: 400, details: { errors } });
}
