import type {
  CreatedPasskey,
  PasskeyCreation,
  PasskeyRequest,
  SignedPasskey,
} from "../contract/schemas/passkey-schemas.ts";
import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from "../encoding.ts";
import type { PasskeyKey, PasskeyVerifier } from "../ports/identity.ts";
import type { Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import { turnedOff } from "../turned-off.ts";
import type { AccountRecord } from "./account-record.ts";
import { type FactorEntry, factorsOf, type PasskeyFactor } from "./factor-record.ts";
import { type Ticket, ticketSeconds } from "./sealed-tickets.ts";

/** What a passkey signed, verified before the change that counts it. */
export interface JudgedPasskey {
  readonly kind: "passkey";
  readonly factorId: string;
  readonly counter: number;
  /** The challenge that it signed, to be spent. */
  readonly ticket: Ticket;
}

/** The purpose of a challenge: what is signed for one is worth nothing for another. */
interface Purpose {
  readonly what: "create" | "sign-in" | "second-factor";
  /** The account and session that it is for; empty before a sign-in. */
  readonly whose: string;
}

interface Whose {
  readonly accountId: string;
  readonly sessionId: string;
}

/** Creates and verifies passkeys of this server. All but `isOffered` throw `FeatureDisabled` if there are none. */
export interface Passkeys {
  readonly isOffered: boolean;
  /** What a browser needs to create a passkey in a session. */
  creation(account: AccountRecord, sessionId: string, factors: readonly FactorEntry[]): Promise<PasskeyCreation>;
  /** The public half of a passkey that was created for `creation`, and its challenge; `null` if it is refused. */
  judgeNew(
    created: CreatedPasskey,
    whose: Whose,
  ): Promise<{ readonly key: PasskeyKey; readonly ticket: Ticket } | null>;
  /** What a browser needs to sign in by a passkey; with a session, to give it as that session's second factor. */
  request(reader: Reader, session: Whose | null): Promise<PasskeyRequest>;
  /** What was signed for `request` by a passkey of the account; `null` if it is refused. */
  judge(
    reader: Reader,
    signed: SignedPasskey,
    by: { readonly accountId: string; readonly session: Whose | null },
  ): Promise<JudgedPasskey | null>;
}

/** ES256, EdDSA and RS256: one of them is known to every authenticator. */
const algorithms: readonly number[] = [-7, -8, -257];
const timeout = ticketSeconds * 1000;
const type = "public-key" as const;

export function createPasskeys({
  verifier,
  runtime,
  settings,
  tickets,
}: Pick<Services, "runtime" | "settings" | "tickets"> & { readonly verifier: PasskeyVerifier | null }): Passkeys {
  const party = relyingPartyOf(settings.consoleUrl);

  function required() {
    if (verifier !== null && party !== null) return { verifier, ...party };
    throw turnedOff("This server has no passkeys.", verifier === null ? "passkeyVerifier" : "consoleUrl");
  }

  async function challengeFor(purpose: Purpose): Promise<string> {
    return toBase64Url(utf8((await tickets.seal("passkey", purpose)).text));
  }

  /** The ticket of a signed challenge, if it has this purpose. */
  async function ticketOf(clientDataJSON: string, { what, whose }: Purpose) {
    const challenge = challengeIn(clientDataJSON);
    const opened = challenge === null ? null : await tickets.open<Purpose>("passkey", textOf(challenge) ?? "");
    if (challenge === null || opened?.content.what !== what || opened.content.whose !== whose) return null;
    return { challenge, ticket: opened.content };
  }

  return {
    isOffered: verifier !== null && party !== null,

    async creation({ id, username, email }, sessionId, factors) {
      const { relyingParty } = required();
      const name = username ?? email ?? id;
      return {
        publicKey: {
          rp: { id: relyingParty, name: settings.issuer },
          user: { id: toBase64Url(utf8(id)), name, displayName: name },
          challenge: await challengeFor({ what: "create", whose: placeOf({ accountId: id, sessionId }) }),
          pubKeyCredParams: algorithms.map((alg) => ({ type, alg })),
          timeout,
          excludeCredentials: descriptorsOf(factors),
          authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
          attestation: "none",
        },
      };
    },

    async judgeNew(created, whose) {
      const { verifier, origin, relyingParty } = required();
      const signed = await ticketOf(created.response.clientDataJSON, { what: "create", whose: placeOf(whose) });
      if (signed === null) return null;
      const { challenge, ticket } = signed;
      const key = await verifier.verifyNew(created, { challenge, origin, relyingParty, algorithms });
      return key && { key, ticket };
    },

    async request(reader, session) {
      const { relyingParty } = required();
      const factors = session === null ? [] : await factorsOf(reader, session.accountId);
      const challenge = await challengeFor(purposeOf(session));
      const allowCredentials = descriptorsOf(factors);
      return { publicKey: { rpId: relyingParty, challenge, timeout, allowCredentials, userVerification: "required" } };
    },

    async judge(reader, credential, { accountId, session }) {
      const { verifier, origin, relyingParty } = required();
      const signed = await ticketOf(credential.response.clientDataJSON, purposeOf(session));
      const passkey = passkeysIn(await factorsOf(reader, accountId)).find((one) => one.credentialId === credential.id);
      if (signed === null || passkey === undefined) return null;
      const { challenge, ticket } = signed;
      const { publicKey, id: factorId } = passkey;
      const verified = await verifier.verify(credential, { challenge, origin, relyingParty, publicKey });
      if (verified === null) return null;
      if (!isCountedOn(passkey.counter, verified.counter))
        runtime.logger.warn({ accountId, factorId }, "A passkey's counter didn't go on: it may have been copied");
      return { kind: "passkey", factorId, counter: verified.counter, ticket };
    },
  };
}

/** The account that a passkey says it belongs to; `null` if it says nothing readable. */
export function accountOfPasskey({ response: { userHandle } }: SignedPasskey): string | null {
  const id = textOf(userHandle ?? "");
  return id !== null && /^[0-9a-f-]{36}$/.test(id) ? id : null;
}

/** Whether a counter has gone on. One that hasn't is a copy's. Passkeys that don't count stay at zero. */
export function isCountedOn(known: number, sent: number): boolean {
  return sent > known || (sent === 0 && known === 0);
}

/**
 * The origin and the domain of the console, which passkeys belong to; `null` if browsers would refuse: they need https or localhost, and a
 * name.
 */
function relyingPartyOf(consoleUrl: string): { readonly origin: string; readonly relyingParty: string } | null {
  if (!URL.canParse(consoleUrl)) return null;
  const { protocol, hostname, origin } = new URL(consoleUrl);
  const isSecure = protocol === "https:" || (protocol === "http:" && hostname === "localhost");
  const isAddress = hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
  return isSecure && !isAddress ? { origin, relyingParty: hostname } : null;
}

function purposeOf(session: Whose | null): Purpose {
  return session === null ? { what: "sign-in", whose: "" } : { what: "second-factor", whose: placeOf(session) };
}

const placeOf = ({ accountId, sessionId }: Whose) => `${accountId} ${sessionId}`;

function passkeysIn(factors: readonly FactorEntry[]): PasskeyFactor[] {
  return factors.filter((factor) => factor.kind === "passkey");
}

function descriptorsOf(factors: readonly FactorEntry[]) {
  return passkeysIn(factors).map(({ credentialId: id, transports }) => ({ id, type, transports: [...transports] }));
}

/** The challenge in a browser's client data. Whether the rest is right is for the verifier to say. */
function challengeIn(clientDataJSON: string): string | null {
  try {
    const { challenge } = Object(JSON.parse(textOf(clientDataJSON) ?? "null")) as { readonly challenge?: unknown };
    return typeof challenge === "string" ? challenge : null;
  } catch {
    return null;
  }
}

/** The text behind base64url; `null` if it is neither. */
function textOf(base64Url: string): string | null {
  const bytes = fromBase64Url(base64Url);
  try {
    return bytes && fromUtf8(bytes);
  } catch {
    return null;
  }
}
