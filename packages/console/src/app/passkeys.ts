import { type Api, LiveplaneError } from "@liveplane/client";
import { factorTexts as words } from "../texts/factor-texts.ts";

type Creation = Awaited<ReturnType<Api["accounts"]["factors"]["beginPasskey"]>>;
type Request = Awaited<ReturnType<Api["sessions"]["beginByPasskey"]>>;
type Created = Parameters<Api["accounts"]["factors"]["addPasskey"]>[0]["credential"];
type Signed = Parameters<Api["sessions"]["createByPasskey"]>[0]["credential"];

/** Whether this browser has passkeys, in the form that the server speaks. */
export function knowsPasskeys(): boolean {
  return typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

/** Lets the browser create a passkey. Throws `InvalidCredentials` if the person declines or the device can't. */
export async function createPasskey({ publicKey }: Creation): Promise<Created> {
  const options = PublicKeyCredential.parseCreationOptionsFromJSON(publicKey);
  return (await answered(() => navigator.credentials.create({ publicKey: options }))) as Created;
}

/** Lets the browser sign with a passkey. Throws `InvalidCredentials` if the person declines or has none here. */
export async function signWithPasskey({ publicKey }: Request): Promise<Signed> {
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(publicKey);
  return (await answered(() => navigator.credentials.get({ publicKey: options }))) as Signed;
}

async function answered(ask: () => Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = await ask();
    if (credential instanceof PublicKeyCredential) return credential.toJSON();
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "InvalidStateError")
      throw new LiveplaneError("InvalidState", words.passkeyKnown, { cause });
    throw new LiveplaneError("InvalidCredentials", words.passkeyDeclined, { cause });
  }
  throw new LiveplaneError("InvalidCredentials", words.passkeyDeclined);
}
