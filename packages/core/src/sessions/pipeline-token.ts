import { fromBase64Url, fromUtf8, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";

/** The unverified claims of a pipeline's token. */
export interface PipelineToken {
  readonly issuer: string | null;
  /** The same bytes for every spelling of one token, and for every signature of it. */
  readonly countedBy: Uint8Array;
}

const isText = (value: unknown) => typeof value === "string";
const isTime = (value: unknown) => typeof value === "number" && Number.isFinite(value);

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  iss: isText,
  sub: isText,
  jti: isText,
  aud: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
  exp: isTime,
  nbf: isTime,
  iat: isTime,
};

/**
 * Decodes a pipeline's token; `null` if it isn't one. A token counts once by its issuer and `jti`, or otherwise by its decoded header and
 * payload: base64url and ES256 allow several texts for one token.
 *
 * @throws {InvalidCredentials} if a claim has the wrong type.
 */
export function parsePipelineToken(token: string): PipelineToken | null {
  const parts = token.split(".").map(fromBase64Url);
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || !header || !payload || !signature) return null;
  const claims = objectIn(payload);
  if (claims === null) return null;
  const wrong = Object.keys(types).find((name) => claims[name] !== undefined && types[name]?.(claims[name]) !== true);
  if (wrong !== undefined)
    throw new LiveplaneError("InvalidCredentials", `The token's claim "${wrong}" has the wrong type.`);
  const { iss = null, jti = "" } = claims as { readonly iss?: string; readonly jti?: string };
  const countedBy = jti === "" ? Uint8Array.of(...header, 0x2e, ...payload) : utf8(JSON.stringify([iss, jti]));
  return { issuer: iss, countedBy };
}

function objectIn(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(fromUtf8(bytes));
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
