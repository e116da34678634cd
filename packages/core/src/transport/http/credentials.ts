import type { Access, Caller } from "../../access/access.ts";
import { invalid } from "../../contract/invalid.ts";
import { operationsById } from "../../contract/operations/operations.ts";
import { credentialHeaders } from "../../contract/routes.ts";
import type { CredentialOption } from "../../contract/row.ts";
import { LiveplaneError, type Violation } from "../../errors.ts";
import type { IncomingRequest } from "./incoming-request.ts";

const anonymous: Caller = { kind: "anonymous" };

/** The caller by its `Authorization`: a bearer token, or anonymous. Any other scheme counts as anonymous. */
export function callerOf(authorization: string | undefined): Caller {
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "")?.[1];
  return token === undefined ? anonymous : { kind: "bearer", token };
}

/** Lets operators pass: those who may list accounts. Throws that operation's errors. */
export async function requireOperator({ access }: { readonly access: Access }, caller: Caller): Promise<void> {
  const row = operationsById["accounts.list"];
  await access.authorize(await access.identify(caller, row), row, { params: {}, query: {} });
}

/** Lets those pass who may edit a component's live system: who may have the agent check it. Throws that operation's errors. */
export async function requireEditor(
  { access }: { readonly access: Access },
  caller: Caller,
  component: { readonly id: string; readonly componentId: string },
): Promise<void> {
  const row = operationsById["liveSystems.components.check"];
  await access.authorize(await access.identify(caller, row), row, { params: { ...component }, query: {} });
}

/** A client's ID and secret from HTTP Basic (RFC 6749, 2.3.1), as form members. */
export function basicCredentials(
  authorization: string | undefined,
): { client_id: string; client_secret: string } | null {
  const encoded = /^basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return null;
  try {
    const [id = "", ...rest] = fromBase64(encoded).split(":");
    const [client_id, client_secret] = [id, rest.join(":")].map((part) =>
      decodeURIComponent(part.replaceAll("+", " ")),
    );
    return { client_id: client_id ?? "", client_secret: client_secret ?? "" };
  } catch {
    throw new LiveplaneError("InvalidCredentials", undefined, { details: { error: "invalid_client" } });
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function fromBase64(encoded: string): string {
  return decoder.decode(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)));
}

const longestHeader = 8 * 1024;
const credentialNames = Object.entries(credentialHeaders) as [CredentialOption, string][];

/** The cloud credential headers of a request. */
export interface FoundCredentials {
  readonly found: { readonly [name in CredentialOption]?: string };
  readonly wrong: readonly Violation[];
}

/** Cloud credentials from their headers. An empty header counts as absent; one that is too long or repeated is an error. */
export function providerCredentials(request: IncomingRequest): FoundCredentials {
  const found: { [name in CredentialOption]?: string } = {};
  const wrong: Violation[] = [];
  for (const [option, header] of credentialNames) {
    const name = header.toLowerCase();
    const value = request.header(name);
    if (request.isRepeated(name)) wrong.push({ header, code: "Duplicate", detail: "The header must be sent once." });
    else if (value === undefined || value === "") continue;
    else if (value.length > longestHeader)
      wrong.push({ header, code: "TooLong", detail: "The header must have at most 8 KiB." });
    else found[option] = value;
  }
  return { found, wrong };
}

/** Refuses malformed cloud credentials. */
export function refuseWrong([first, ...others]: readonly Violation[]): void {
  if (first !== undefined) throw invalid([first, ...others]);
}
