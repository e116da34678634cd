import { expect, test } from "vitest";
import { environmentsWorld } from "./builders/environments.ts";

type World = Awaited<ReturnType<typeof environmentsWorld>>;

/** What a host may leave out or turn off, and what turns it on. */
const turnedOff: readonly (readonly [what: string, setting: string, call: (world: World) => Promise<unknown>])[] = [
  [
    "revealing secrets over HTTP",
    "revealOverHttp",
    ({ liveplane, ada, dev }) =>
      liveplane.dispatch({
        operation: "environments.secrets.reveal",
        caller: { kind: "bearer", token: ada.tokens.accessToken },
        params: { ...dev, secretShortName: "db" },
        ...{ query: {}, credentials: {}, preconditions: {}, requestId: "request-1", body: async () => undefined },
        from: { address: null, userAgent: null, remote: true },
      }),
  ],
  ["an OpenID provider", "signInIssuer", ({ api }) => api.accounts.identities.authorize()],
  ["passkeys", "passkeyVerifier", ({ api }) => api.accounts.factors.beginPasskey()],
  [
    "registration",
    "openRegistration",
    ({ api }) => api.accounts.createWithCredentials({ username: "eve", password: "correct horse battery" }),
  ],
  ["device sign-in", "deviceAuthorizers", ({ api, dev }) => api.environments.providerA.authenticate(dev)],
  [
    "pipelines without a secret",
    "pipelineIssuers",
    async ({ api, dev, runtime }) => {
      const robot = { ...dev, principalId: runtime.newId() };
      await api.environments.serviceAccounts.assign(robot, { serviceAccountRole: "Bot" });
      const identity = { issuer: "https://ci.example", subject: "repo:acme/shop" };
      return api.environments.serviceAccounts.federatedIdentities.create(robot, identity);
    },
  ],
];

test.each(turnedOff)("who uses %s where it is off learns which setting turns it on", async (_, setting, call) => {
  const world = await environmentsWorld();
  const message = expect.stringMatching(new RegExp(`The host turns this on with ${setting}\\.$`));
  await expect(call(world)).rejects.toMatchObject({ message, details: { setting } });
});
