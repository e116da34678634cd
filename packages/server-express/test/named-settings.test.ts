import type { Api } from "@liveplane/client";
import { expect, test } from "vitest";
import { runServer } from "./running-server.ts";

const calls: Readonly<Record<string, (api: Api, id: string) => Promise<unknown>>> = {
  LIVEPLANE_CONSOLE_URL: (api) => api.accounts.factors.beginPasskey(),
  LIVEPLANE_OIDC_ISSUER: (api) => api.accounts.identities.authorize(),
  LIVEPLANE_WEBHOOKS: (api) => api.accounts.webhooks.create({ name: "chat", url: "https://hooks.example" }),
  LIVEPLANE_REVEAL: async (api, ownerId) => {
    const place = { type: "Personal", ownerId, shortName: "dev" } as const;
    await api.environments.create(place, {});
    await api.environments.secrets.create(place, { shortName: "db", value: "never shown" });
    return api.environments.secrets.reveal({ ...place, secretShortName: "db" });
  },
};

test("a refusal names the server's own variable, which turns on what it refuses", async () => {
  const server = await runServer({ LIVEPLANE_WEBHOOKS: "off" });
  const { api, id } = await server.person("ada");
  for (const [setting, call] of Object.entries(calls))
    await expect(call(api, id), setting).rejects.toMatchObject({
      code: "FeatureDisabled",
      status: 403,
      message: expect.stringMatching(new RegExp(`The host turns this on with ${setting}\\.$`)),
      details: { setting },
    });
  await expect(server.liveplane.as({ kind: "account", accountId: id }).accounts.identities.authorize()).rejects.toThrow(
    "The host turns this on with signInIssuer.",
  );
});
