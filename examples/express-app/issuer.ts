import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** Stands in for a company's identity provider: publishes its key, and signs tokens. */
export async function startIssuer(audience: string) {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "key", alg: "ES256", use: "sig" }] };
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify(jwks));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    tokenFor: (subject: string) =>
      new SignJWT({})
        .setProtectedHeader({ alg: "ES256", kid: "key", typ: "at+jwt" })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt()
        .setExpirationTime("10 minutes")
        .sign(privateKey),
    close: () => void server.close(),
  };
}
