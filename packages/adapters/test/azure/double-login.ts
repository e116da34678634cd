import type { Body } from "./double-shapes.ts";

export const tenant = "72f988bf-0000-4000-8000-2d7cd011db47";
const userCode = "WDJB-MJHT";

/** Microsoft Entra on loopback: tokens for clients and devices. Each token is another; the newest ones are good until they are revoked. */
export function doubleLogin() {
  let hasSignedIn = false;
  let issued = 0;
  const revoked = new Set<string>();
  const forms: URLSearchParams[] = [];
  const token = () => `token-of-azure${issued++ === 0 ? "" : `-${issued}`}`;
  return {
    /** What tokens were asked for with. */
    forms,
    signIn() {
      hasSignedIn = true;
    },
    /** From here on no token is good that was given so far. */
    revoke: () =>
      void Array.from({ length: issued }, (_, at) => revoked.add(`token-of-azure${at === 0 ? "" : `-${at + 1}`}`)),
    isGood: (authorization: string | null) =>
      /^Bearer token-of-azure(-\d+)?$/.test(authorization ?? "") && !revoked.has(authorization?.slice(7) ?? ""),
    answer(url: string, path: string, text: string): { status: number; body: Body } | null {
      if (path.endsWith("/.well-known/openid-configuration"))
        return { status: 200, body: metadata(url, path.split("/")[1] ?? "") };
      if (path.endsWith("/oauth2/v2.0/devicecode")) return { status: 200, body: deviceGrant(url) };
      if (!path.endsWith("/oauth2/v2.0/token")) return null;
      const form = new URLSearchParams(text);
      forms.push(form);
      if (form.has("device_code")) {
        if (!hasSignedIn) return { status: 400, body: { error: "authorization_pending" } };
        return { status: 200, body: { token_type: "Bearer", access_token: token(), expires_in: 3600 } };
      }
      const isRejected = form.get("client_secret") === "reject" || !path.includes(tenant);
      if (isRejected) return { status: 401, body: { error: "invalid_client" } };
      return { status: 200, body: { access_token: token(), expires_in: 3600 } };
    },
  };
}

/** What Entra says of itself, as far as sign-in by device goes. */
function metadata(url: string, ofTenant: string): Body {
  const endpoints = `${url}/${ofTenant}/oauth2/v2.0`;
  return {
    issuer: `${url}/${ofTenant}/v2.0`,
    authorization_endpoint: `${endpoints}/authorize`,
    token_endpoint: `${endpoints}/token`,
    device_authorization_endpoint: `${endpoints}/devicecode`,
    jwks_uri: `${url}/${ofTenant}/discovery/v2.0/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["pairwise"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
}

function deviceGrant(url: string): Body {
  const device = { device_code: "canary-device-code", user_code: userCode, verification_uri: `${url}/devicelogin` };
  return { ...device, expires_in: 900, interval: 1, message: `Enter ${userCode}.` };
}
