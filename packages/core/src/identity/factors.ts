import type { Handlers } from "../contract/handler.ts";
import { LiveplaneError } from "../errors.ts";
import { listedInMemory } from "../records/listed.ts";
import type { Services } from "../services.ts";
import { accounts } from "./account-record.ts";
import { beginsNow, type FactorChanging, removeFactors, replaceFactors, requireFactorRoom } from "./factor-changes.ts";
import { makeRecoveryCodes } from "./factor-codes.ts";
import {
  emitFactor,
  type FactorEntry,
  factorPlace,
  factorsOf,
  isRequiring,
  isUsable,
  putFactors,
  type TotpFactor,
  toFactor,
} from "./factor-record.ts";
import { ownAccount } from "./own-account.ts";
import { stepOfCode, toBase32, totpSecretBytes, totpUri } from "./totp.ts";

type Operation = `accounts.factors.${"list" | "addTotp" | "confirmTotp" | "issueRecoveryCodes" | "delete"}`;

type FactorServices = FactorChanging & Pick<Services, "pages" | "settings" | "sealer">;

/** Creates the handlers by which people choose their second factors, and by which an operator removes them. */
export function createFactors(deps: FactorServices): Pick<Handlers<"accounts">, Operation | "accounts.removeFactors"> {
  const { records, pages, runtime, settings, sealer, mail } = deps;
  return {
    "accounts.factors.list": async ({ actor, query }) => {
      const { id } = await ownAccount(deps, records, actor);
      const usable = (await factorsOf(records, id)).filter(isUsable);
      const page = await pages.page(listedInMemory(usable), { ...query, bind: [id, "accounts.factors.list"] });
      return { value: { ...page, items: page.items.map(toFactor) } };
    },

    "accounts.factors.addTotp": async ({ actor, body, cause }) => {
      const { id: accountId, username, email } = await ownAccount(deps, records, actor);
      const id = runtime.newId();
      const secret = runtime.crypto.random(totpSecretBytes);
      const sealed = await sealer.seal(secret, factorPlace(accountId, id));
      await records.change(cause, async (change) => {
        const confirmed = (await factorsOf(change, accountId)).filter(isUsable);
        requireFactorRoom(confirmed);
        const { name = "Authenticator app" } = body;
        const waiting: TotpFactor = { ...{ id, kind: "totp", name, sealed }, ...beginsNow(deps), lastStep: null };
        putFactors(change, accountId, [...confirmed, waiting]);
      });
      const text = toBase32(secret);
      const uri = totpUri(text, settings.issuer, username ?? email ?? accountId);
      return { value: { id, secret: text, uri }, made: true };
    },

    "accounts.factors.confirmTotp": async ({ actor, body, cause }) => {
      const { id: accountId } = await ownAccount(deps, records, actor);
      const waiting = waitingApp(await factorsOf(records, accountId));
      const secret = await sealer.open(waiting.sealed, factorPlace(accountId, waiting.id));
      const code = body.code.replaceAll(/[\s-]/g, "");
      const step = await stepOfCode(runtime.crypto, secret, { code, now: runtime.clock.now() });
      if (step === null) throw wrongCode();
      const confirmed: TotpFactor = { ...waiting, lastStep: step };
      await records.change(cause, async (change) => {
        const account = await ownAccount(deps, change, actor);
        const known = await factorsOf(change, accountId);
        if (waitingApp(known).id !== waiting.id) throw noneWaits();
        const sessionId = actor.kind === "account" ? actor.sessionId : undefined;
        const factors = known.map((factor) => (factor.id === waiting.id ? confirmed : factor));
        await replaceFactors(deps, change, { account, factors, cause, sessionId });
        emitFactor(change, "factor.added", { accountId, factor: confirmed });
      });
      void mail.deliver();
      return { value: toFactor(confirmed) };
    },

    "accounts.factors.issueRecoveryCodes": async ({ actor, cause }) => {
      const { codes, digests } = await makeRecoveryCodes(deps);
      const id = runtime.newId();
      await records.change(cause, async (change) => {
        const account = await ownAccount(deps, change, actor);
        const others = (await factorsOf(change, account.id)).filter(({ kind }) => kind !== "recoveryCodes");
        if (!others.some(isRequiring))
          throw new LiveplaneError("InvalidState", "Recovery codes replace a lost factor. Add a factor first.");
        const factor: FactorEntry = {
          ...{ id, kind: "recoveryCodes", name: "Recovery codes" },
          ...beginsNow(deps),
          digests,
        };
        const sessionId = actor.kind === "account" ? actor.sessionId : undefined;
        await replaceFactors(deps, change, { account, factors: [...others, factor], cause, sessionId });
        emitFactor(change, "factor.added", { accountId: account.id, factor });
      });
      void mail.deliver();
      return { value: { codes }, made: true };
    },

    "accounts.factors.delete": async ({ actor, params: { factorId }, cause }) => {
      await records.change(cause, async (change) => {
        const account = await ownAccount(deps, change, actor);
        const sessionId = actor.kind === "account" ? actor.sessionId : undefined;
        await removeFactors(deps, change, { account, cause, sessionId, isRemoved: ({ id }) => id === factorId });
      });
      void mail.deliver();
      return { value: true };
    },

    "accounts.removeFactors": async ({ params: { accountId }, cause }) => {
      await records.change(cause, async (change) => {
        const account = await change.get(accounts, [accountId]);
        if (account === null || account.deletedAt !== null) throw new LiveplaneError("NotFound");
        await removeFactors(deps, change, { account, cause, sessionId: undefined, isRemoved: () => true });
      });
      void mail.deliver();
      return { value: true };
    },
  };
}

/** The app that waits for its first code. */
function waitingApp(factors: readonly FactorEntry[]): TotpFactor {
  const waiting = factors.find((factor) => !isUsable(factor));
  if (waiting?.kind !== "totp") throw noneWaits();
  return waiting;
}

function noneWaits(): LiveplaneError {
  return new LiveplaneError("InvalidState", "No authenticator app waits for its first code. Add one first.");
}

/** A wrong code is a 400 at its place, unlike a wrong one at sign-in. */
function wrongCode(): LiveplaneError {
  const detail = "The code is wrong. Check the clock of the device that shows it, and send the code that it shows now.";
  const errors = [{ pointer: "#/code", code: "InvalidCredentials", detail }] as const;
  return new LiveplaneError("InvalidCredentials", detail, { status: 400, details: { errors } });
}
