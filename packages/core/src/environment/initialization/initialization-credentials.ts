import { invalid } from "../../contract/invalid.ts";
import { credentialHeaders } from "../../contract/routes.ts";
import type { CredentialOption } from "../../contract/row.ts";
import type { LiveplaneError } from "../../errors.ts";
import type { CloudCredentials } from "../../ports/cloud.ts";
import { SecretValue } from "../../ports/secret-value.ts";
import type { Provider } from "./initialization-run.ts";

/** The credential headers of a call, by option name. */
export type SentCredentials = { readonly [name in CredentialOption]?: string };

const mostBytes = 8192;

/** The credentials in a call's headers; `null` if there are none. An incomplete pair or a malformed one is refused. */
export function sentCredentials(provider: Provider, sent: SentCredentials): CloudCredentials | null {
  const federated = provider === "provider-b" ? federatedCredentials(sent) : null;
  if (federated !== null) return federated;
  const [nameOption, secretOption] = pairs[provider];
  const name = given(nameOption, sent);
  const secret = given(secretOption, sent);
  const assertion = provider === "provider-a" ? given("providerAClientAssertion", sent) : null;
  if (name === null && secret === null && assertion === null) return null;
  if (name === null) throw missing(nameOption);
  if (assertion !== null) {
    if (secret !== null)
      throw malformed("providerAClientAssertion", "Format", "Send either the assertion or the secret, not both.");
    return { kind: "clientAssertion", name, secret: new SecretValue(assertion) };
  }
  if (secret === null) throw missing(secretOption);
  if (provider === "provider-a") return { kind: "servicePrincipal", name, secret: new SecretValue(secret) };
  return { kind: "serviceAccountKey", name, secret: new SecretValue(compactKey(secret, name)) };
}

/** A token of an identity provider that Google Cloud trusts, instead of a key. With an e-mail address, it acts as that service account. */
function federatedCredentials(sent: SentCredentials): CloudCredentials | null {
  const token = given("providerBFederatedToken", sent);
  const issuer = given("providerBWorkloadIdentityProvider", sent);
  if (token === null && issuer === null) return null;
  if (token === null) throw missing("providerBFederatedToken");
  if (issuer === null) throw missing("providerBWorkloadIdentityProvider");
  const [emailOption, keyOption] = pairs["provider-b"];
  if (given(keyOption, sent) !== null)
    throw malformed(
      "providerBFederatedToken",
      "Format",
      "Send a federated token or a service account's key, not both.",
    );
  const impersonates = given(emailOption, sent);
  if (impersonates !== null && !serviceAccountEmail.test(impersonates))
    throw malformed(emailOption, "Format", "Send the e-mail address of a service account.");
  const name = issuer.replace(/^\/\/iam\.googleapis\.com\//, "");
  if (!workloadIdentityProvider.test(name))
    throw malformed(
      "providerBWorkloadIdentityProvider",
      "Format",
      "It must be projects/<number>/locations/global/workloadIdentityPools/<pool>/providers/<provider>.",
    );
  return { kind: "federatedToken", name, ...(impersonates && { impersonates }), secret: new SecretValue(token) };
}

const serviceAccountEmail = /^[\w.-]{1,128}@[\w.-]{1,120}$/;

const workloadIdentityProvider =
  /^projects\/\d{1,20}\/locations\/global\/workloadIdentityPools\/[a-z0-9-]{4,32}\/providers\/[a-z0-9-]{4,32}$/;

/** The refusal of a call without any credentials. */
export function credentialsMissing(provider: Provider): LiveplaneError {
  return missing(pairs[provider][0], pairs[provider][1]);
}

const pairs = {
  "provider-a": ["providerAClientId", "providerAClientSecret"],
  "provider-b": ["providerBServiceAccountEmail", "providerBServiceAccountCredentials"],
} as const satisfies Record<Provider, readonly [CredentialOption, CredentialOption]>;

/** An empty header counts as absent. */
function given(option: CredentialOption, sent: SentCredentials): string | null {
  const value = sent[option]?.trim() ?? "";
  if (value === "") return null;
  if (new TextEncoder().encode(value).length > mostBytes)
    throw malformed(option, "TooLong", "It must have at most 8 KiB.");
  if (/[\p{Cc}]/u.test(value)) throw malformed(option, "Format", "It must be a single line.");
  return value;
}

/** A service account's key as compact JSON; base64 is accepted. If it names an account, it must be that account's. */
function compactKey(value: string, email: string): string {
  const key = jsonObject(value) ?? jsonObject(fromBase64(value));
  if (key === null)
    throw malformed("providerBServiceAccountCredentials", "Format", "The key must be compact JSON, or its base64.");
  const whose = "client_email" in key ? key.client_email : email;
  if (typeof whose !== "string" || whose.toLowerCase() !== email.toLowerCase())
    throw malformed("providerBServiceAccountEmail", "Format", "The key belongs to another service account.");
  return JSON.stringify(key);
}

function jsonObject(text: string | null): object | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function fromBase64(text: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
      letter.charCodeAt(0),
    );
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function missing(...options: [CredentialOption, ...CredentialOption[]]): LiveplaneError {
  const entry = (option: CredentialOption) => {
    const header = credentialHeaders[option];
    return { header, code: "ProviderCredentialsMissing" as const, detail: `Send ${header}.` };
  };
  const [first, ...rest] = options;
  return invalid([entry(first), ...rest.map(entry)]);
}

function malformed(option: CredentialOption, code: "TooLong" | "Format", detail: string): LiveplaneError {
  return invalid([{ header: credentialHeaders[option], code, detail }]);
}
