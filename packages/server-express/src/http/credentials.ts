import type { IncomingMessage } from "node:http";
import { type Caller, invalid, type Liveplane } from "@liveplane/core";
import { operationsById } from "@liveplane/core/contract";
import { LiveplaneError, type Violation } from "@liveplane/core/errors";
import { credentialHeaders } from "@liveplane/core/routes";

/** Who a request says it is from: a bearer token, or nobody. Any other scheme counts as nobody. */
export function callerOf({ headers }: IncomingMessage): Caller {
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(headers.authorization ?? "")?.[1];
  return token === undefined ? { kind: "anonymous" } : { kind: "bearer", token };
}

/** Lets operators pass: those for whom the list of accounts is. Throws what that operation would. */
export async function requireOperator({ access }: Liveplane, caller: Caller): Promise<void> {
  const row = operationsById["accounts.list"];
  await access.authorize(await access.identify(caller, row), row, { params: {}, query: {} });
}

/** A client's id and secret from HTTP Basic (RFC 6749, 2.3.1), as the members that a form would have. */
export function basicCredentials({ headers }: IncomingMessage): { client_id: string; client_secret: string } | null {
  const encoded = /^basic +([A-Za-z0-9+/=]+) *$/i.exec(headers.authorization ?? "")?.[1];
  if (encoded === undefined) return null;
  const [id = "", ...rest] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  try {
    const [client_id, client_secret] = [id, rest.join(":")].map((part) =>
      decodeURIComponent(part.replaceAll("+", " ")),
    );
    return { client_id: client_id ?? "", client_secret: client_secret ?? "" };
  } catch {
    throw new LiveplaneError("InvalidCredentials", undefined, { details: { error: "invalid_client" } });
  }
}

const longestHeader = 8 * 1024;

/**
 * Cloud credentials from their headers. An empty header counts as absent; `check` refuses one that is too long, and one that was sent
 * twice: Node would make one value of both.
 */
export function providerCredentials({ headers, rawHeaders }: IncomingMessage): {
  readonly found: Readonly<Record<string, string>>;
  readonly check: () => void;
} {
  const found: Record<string, string> = {};
  const wrong: Violation[] = [];
  const sent = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  for (const [option, header] of Object.entries(credentialHeaders)) {
    const name = header.toLowerCase();
    const value = headers[name];
    if (sent.indexOf(name) !== sent.lastIndexOf(name))
      wrong.push({ header, code: "Duplicate", detail: "The header must be sent once." });
    else if (typeof value !== "string" || value === "") continue;
    else if (Buffer.byteLength(value, "latin1") > longestHeader)
      wrong.push({ header, code: "TooLong", detail: "The header must have at most 8 KiB." });
    else found[option] = value;
  }
  const [first, ...others] = wrong;
  const check = () => {
    if (first !== undefined) throw invalid([first, ...others]);
  };
  return { found, check };
}
