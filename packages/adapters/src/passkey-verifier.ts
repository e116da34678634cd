import type { PasskeyVerifier } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";

/**
 * Verifies passkeys with @simplewebauthn/server. User verification is always required.
 *
 * @throws {ConfigurationInvalid} if the package is missing.
 */
export async function passkeyVerifier(): Promise<PasskeyVerifier> {
  const webauthn = await loadWebauthn();
  const { isoBase64URL } = await import("@simplewebauthn/server/helpers");
  return {
    async verifyNew({ id, response }, { challenge, origin, relyingParty, algorithms }) {
      const { clientDataJSON, attestationObject } = response;
      const registered = await orNull(() =>
        webauthn.verifyRegistrationResponse({
          response: { ...asSent(id), response: { clientDataJSON, attestationObject } },
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: relyingParty,
          expectedType: "webauthn.create",
          requireUserVerification: true,
          supportedAlgorithmIDs: [...algorithms],
        }),
      );
      if (registered?.verified !== true) return null;
      const { credential } = registered.registrationInfo;
      // What was signed names the credential; the answer only repeats it.
      if (credential.id !== id) return null;
      return { publicKey: isoBase64URL.fromBuffer(credential.publicKey), counter: credential.counter };
    },

    async verify({ id, response }, { challenge, origin, relyingParty, publicKey }) {
      const { clientDataJSON, authenticatorData, signature } = response;
      const signed = await orNull(() =>
        webauthn.verifyAuthenticationResponse({
          response: { ...asSent(id), response: { clientDataJSON, authenticatorData, signature } },
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: relyingParty,
          expectedType: "webauthn.get",
          requireUserVerification: true,
          // The core judges the counter, in the commit that stores it.
          credential: { id, publicKey: isoBase64URL.toBuffer(publicKey), counter: 0 },
        }),
      );
      return signed?.verified === true ? { counter: signed.authenticationInfo.newCounter } : null;
    },
  };
}

function asSent(id: string) {
  return { id, rawId: id, type: "public-key" as const, clientExtensionResults: {} };
}

/** The package throws for every answer that it refuses or can't read. */
async function orNull<T>(verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}

async function loadWebauthn(): Promise<typeof import("@simplewebauthn/server")> {
  try {
    return await import("@simplewebauthn/server");
  } catch (cause) {
    const detail = "Passkeys need the package @simplewebauthn/server: npm install @simplewebauthn/server@14";
    throw new LiveplaneError("ConfigurationInvalid", detail, { cause });
  }
}
