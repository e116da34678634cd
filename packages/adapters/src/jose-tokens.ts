import type { PublicJwk, SigningKey, TokenClaims, TokenSigner } from "@liveplane/core";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { CryptoKey, JWK, JWTHeaderParameters, JWTPayload } from "jose";

const algorithm = "EdDSA";
const type = "at+jwt";
/** Imported keys are cached, because importing costs as much as verifying. Rotation keeps them few. */
const mostRemembered = 32;

/** Signs and verifies access tokens in the format of RFC 9068, with Ed25519 only, using jose. */
export async function joseTokens(): Promise<TokenSigner> {
  const jose = await loadJose();
  const imported = new Map<string, Promise<CryptoKey>>();

  function importKey(text: string): Promise<CryptoKey> {
    const known = imported.get(text);
    if (known !== undefined) return known;
    const key = jose.importJWK(JSON.parse(text) as JWK, algorithm) as Promise<CryptoKey>;
    const oldest = imported.keys().next();
    if (imported.size >= mostRemembered && !oldest.done) imported.delete(oldest.value);
    imported.set(text, key);
    return key;
  }

  return {
    async generateKey(): Promise<SigningKey> {
      const pair = await jose.generateKeyPair(algorithm, { crv: "Ed25519", extractable: true });
      const { kty, crv, x } = await jose.exportJWK(pair.publicKey);
      const bare = { kty, crv, x } as { kty: string; crv: string; x: string };
      const id = await jose.calculateJwkThumbprint(bare);
      const publicJwk = { ...bare, kid: id, alg: algorithm, use: "sig" };
      return { id, publicJwk, secret: JSON.stringify(await jose.exportJWK(pair.privateKey)) };
    },

    async sign(claims, { id, secret }) {
      const header = { alg: algorithm, typ: type, kid: id };
      return new jose.SignJWT({ ...claims }).setProtectedHeader(header).sign(await importKey(secret));
    },

    async verify(token, { keys, issuer, audience, now }) {
      const keyOf = ({ kid }: JWTHeaderParameters) => {
        const jwk = keys.find((key) => key.kid === kid);
        if (jwk === undefined || !isEd25519(jwk))
          throw new LiveplaneError("Unauthenticated", "The token's key is unknown.");
        return importKey(JSON.stringify(jwk));
      };
      try {
        const { payload } = await jose.jwtVerify(token, keyOf, {
          algorithms: [algorithm],
          typ: type,
          issuer,
          audience,
          currentDate: new Date(now),
          requiredClaims: ["exp", "iat", "sub", "jti"],
        });
        return toClaims(payload);
      } catch (error) {
        throw error instanceof jose.errors.JWTExpired ? new LiveplaneError("TokenExpired") : refusal(error);
      }
    },
  };
}

/** A key for encryption or of another curve must not be accepted. */
function isEd25519({ kty, crv }: PublicJwk): boolean {
  return kty === "OKP" && crv === "Ed25519";
}

function toClaims(payload: JWTPayload): TokenClaims {
  const { iss, aud, sub, iat, exp, jti, sid, scope, pty } = payload;
  const texts = [iss, aud, sub, jti, sid, scope];
  const known = pty === "account" || pty === "serviceAccount";
  if (!known || texts.some((claim) => typeof claim !== "string")) {
    throw new LiveplaneError("Unauthenticated", "The token is missing a required claim.");
  }
  return { iss, aud, sub, iat, exp, jti, sid, scope, pty } as TokenClaims;
}

function refusal(error: unknown): LiveplaneError {
  if (isLiveplaneError(error)) return error;
  // jose's errors contain the token's claims, so they are no cause.
  return new LiveplaneError("Unauthenticated", "The token is not valid.");
}

async function loadJose(): Promise<typeof import("jose")> {
  try {
    return await import("jose");
  } catch (cause) {
    throw new LiveplaneError("ConfigurationInvalid", "Access tokens need the package jose: npm install jose@6", {
      cause,
    });
  }
}
