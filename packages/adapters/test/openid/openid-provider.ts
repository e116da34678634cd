import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { type Adapter, type AdapterPayload, type JWK, Provider } from "oidc-provider";

/** What a provider knows of somebody. */
export interface KnownPerson {
  readonly email?: string;
  readonly email_verified?: unknown;
  readonly given_name?: string;
  readonly family_name?: string;
  /** How they signed in there. */
  readonly acr?: string;
  readonly amr?: readonly string[];
  /** When they sign in there, in epoch seconds. @default now */
  readonly signedInAt?: number;
}

/** What a test does to an answer of the provider before anybody sees it; `true`: it has answered itself. */
type Meddle = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

export const clientId = "liveplane";
export const clientSecret = "a secret of the client that is long enough";

/** A real OpenID provider on loopback, with people who sign in at once. It answers once it `serves` somebody. */
export interface OpenIdProvider {
  readonly issuer: string;
  /** Whom browsers that come are taken for. */
  who: string;
  readonly people: Record<string, KnownPerson>;
  /** Stands before the provider. */
  meddle: Meddle | null;
  /** Serves a client that is sent back there, with a key of its own: called again, it has rotated its keys. */
  serve(redirectUri: string | readonly string[], postLogout?: string): Promise<void>;
  /** An ID token with any claims, signed by the key in use. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
  /** How often a path was asked for. */
  asked(path: string): number;
  /** Stops answering, and begins again. */
  stop(): Promise<void>;
  resume(): Promise<void>;
  end(): Promise<void>;
}

/** Starts a provider for a test. */
export async function openIdProvider(): Promise<OpenIdProvider> {
  let provider: Provider | null = null;
  let key: Awaited<ReturnType<typeof signingKey>> | null = null;
  const adapter = keptInMemory();
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url?.split("?")[0] ?? "";
    paths.push(path);
    if (provider === null) return void response.writeHead(503).end();
    if ((await of.meddle?.(request, response)) === true) return;
    if (path.startsWith("/interaction/")) return agree(provider, request, response, [of.who, of.people[of.who]]);
    return provider.callback()(request, response);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const of: OpenIdProvider = {
    issuer,
    who: "ada",
    people: {},
    meddle: null,
    async serve(redirectUri, postLogout) {
      key = await signingKey();
      const client = { client_id: clientId, client_secret: clientSecret };
      const redirect_uris = [redirectUri].flat();
      const addresses = { redirect_uris, post_logout_redirect_uris: postLogout ? [postLogout] : redirect_uris };
      provider = new Provider(issuer, {
        adapter,
        clients: [{ ...client, ...addresses }],
        acrValues: ["gold", "silver"],
        claims: {
          openid: ["sub", "acr", "amr"],
          email: ["email", "email_verified"],
          profile: ["given_name", "family_name"],
        },
        cookies: { keys: ["of the test"] },
        features: { devInteractions: { enabled: false } },
        findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ ...of.people[sub], sub }) }),
        interactions: { url: (_, { uid }) => `/interaction/${uid}` },
        jwks: { keys: [key.jwk] },
        pkce: { required: () => true },
        ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      });
    },
    async sign(claims) {
      if (key === null) throw new TypeError("It serves nobody yet.");
      const { kid, alg = "RS256" } = key.jwk;
      return new SignJWT(claims).setProtectedHeader({ alg, ...(kid && { kid }) }).sign(key.privateKey);
    },
    asked: (path) => paths.filter((one) => one === path).length,
    stop: close,
    resume: () => listen(port),
    end: close,
  };
  return of;
}

/** Signs the person in, and lets them agree to everything. */
async function agree(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  [accountId, known]: readonly [string, KnownPerson | undefined],
) {
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  grant.addOIDCScope(String(params.scope));
  const consent = { grantId: await grant.save() };
  // Another person may sit before the same browser.
  const when = known?.signedInAt && { ts: known.signedInAt };
  const how = { ...(known?.acr && { acr: known.acr }), ...(known?.amr && { amr: [...known.amr] }), ...when };
  await provider.interactionFinished(request, response, { login: { accountId, remember: false, ...how }, consent });
}

/** What a provider remembers, without the warning that its own memory prints. */
export function keptInMemory(): (kind: string) => Adapter {
  const kept = new Map<string, AdapterPayload>();
  return (kind) => {
    const find = async (test: (payload: AdapterPayload) => boolean) => [...kept.values()].find(test);
    return {
      upsert: async (id, payload) => void kept.set(`${kind} ${id}`, payload),
      find: async (id) => kept.get(`${kind} ${id}`),
      findByUserCode: (userCode) => find((payload) => payload.userCode === userCode),
      findByUid: (uid) => find((payload) => payload.uid === uid),
      consume: async (id) => void Object.assign(kept.get(`${kind} ${id}`) ?? {}, { consumed: 1 }),
      destroy: async (id) => void kept.delete(`${kind} ${id}`),
      revokeByGrantId: async () => {},
    };
  };
}

/** A new key to sign with. */
export async function signingKey(): Promise<{ readonly privateKey: CryptoKey; readonly jwk: JWK }> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const kid = crypto.randomUUID();
  return { privateKey, jwk: { ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid } as JWK };
}
