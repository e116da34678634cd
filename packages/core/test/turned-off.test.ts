import { expect, test } from "vitest";
import { environmentsWorld } from "./builders/environments.ts";

type World = Awaited<ReturnType<typeof environmentsWorld>>;

/** What a host may leave out or turn off, and what turns it on: of the reference server, and of an embedding host. */
const turnedOff: readonly (readonly [what: string, names: RegExp, call: (world: World) => Promise<unknown>])[] = [
  [
    "revealing secrets over HTTP",
    /LIVEPLANE_REVEAL=on .*revealOverHttp/,
    ({ liveplane, ada, dev }) =>
      liveplane.dispatch({
        operation: "environments.secrets.reveal",
        caller: { kind: "bearer", token: ada.tokens.accessToken },
        params: { ...dev, secretShortName: "db" },
        ...{ query: {}, credentials: {}, preconditions: {}, requestId: "request-1", body: async () => undefined },
        from: { address: null, userAgent: null, remote: true },
      }),
  ],
  ["an OpenID provider", /LIVEPLANE_OIDC_ISSUER .*signInIssuer/, ({ api }) => api.accounts.identities.authorize()],
  [
    "passkeys",
    /LIVEPLANE_CONSOLE_URL .*passkeyVerifier .*consoleUrl/,
    ({ api }) => api.accounts.factors.beginPasskey(),
  ],
  [
    "registration",
    /LIVEPLANE_OPEN_REGISTRATION=on .*openRegistration/,
    ({ api }) => api.accounts.createWithCredentials({ username: "eve", password: "correct horse battery" }),
  ],
  [
    "device sign-in",
    /LIVEPLANE_AZURE_CLIENT_ID .*deviceAuthorizers/,
    ({ api, dev }) => api.environments.providerA.authenticate(dev),
  ],
  [
    "pipelines without a secret",
    /LIVEPLANE_PIPELINE_ISSUERS .*pipelineIssuers/,
    async ({ api, dev, runtime }) => {
      const robot = { ...dev, principalId: runtime.newId() };
      await api.environments.serviceAccounts.assign(robot, { serviceAccountRole: "Bot" });
      const identity = { issuer: "https://ci.example", subject: "repo:acme/shop" };
      return api.environments.serviceAccounts.federatedIdentities.create(robot, identity);
    },
  ],
];

test.each(turnedOff)("who uses %s where it is off learns which setting turns it on", async (_, names, call) => {
  const world = await environmentsWorld();
  await expect(call(world)).rejects.toThrow(names);
});
