import { createClient } from "@liveplane/client";
import { isLiveplaneError } from "@liveplane/core/errors";
import { expect, test } from "vitest";
import type { KnownPerson } from "../../adapters/test/openid/openid-provider.ts";
import { withApp } from "../../core/test/builders/factors.ts";
import { codeAt, signInWorld } from "./sign-in-world.ts";

const accepting = { LIVEPLANE_OIDC_ACR: "gold,silver", LIVEPLANE_OIDC_AMR: "mfa, hwk" };

/** Ada has an authenticator app here, and signs in at the provider in different ways. */
async function withAda(settings: Readonly<Record<string, string>>) {
  const { server, provider } = await signInWorld({ LIVEPLANE_OIDC_PROVISION: "verified-email", ...settings });
  const signIn = async (how: Pick<KnownPerson, "acr" | "amr"> = {}) => {
    provider.people.ada = { email: "ada@example.com", email_verified: true, ...how };
    const { visited, code, codeVerifier } = await codeAt(server.url);
    const tokens = await createClient({ baseUrl: server.url }).sessions.createByCode({ code, codeVerifier });
    return { ...tokens, visited, api: createClient({ baseUrl: server.url, token: tokens.accessToken }) };
  };
  await withApp((await signIn()).api, { now: Date.now });
  return { server, provider, signIn };
}

const forged = ["GOLD", "gold silver", "bronze", "mfa"];

test("a second factor that the provider reports in accepted words is enough, and the session says so", async () => {
  const { signIn } = await withAda(accepting);
  for (const how of [{ acr: "silver" }, { amr: ["pwd", "mfa"] }, { acr: "bronze", amr: ["hwk"] }]) {
    const { api, secondFactorRequired, visited } = await signIn(how);
    expect(secondFactorRequired).toBe(false);
    const { items } = await api.sessions.list();
    expect(items.find(({ current }) => current)).toMatchObject({ signedInBy: "openid", secondFactor: "issuer" });
    expect(visited.url.href).toContain("code=");
  }
  for (const acr of forged) expect((await signIn({ acr })).secondFactorRequired, acr).toBe(true);
  for (const amr of [["pwd"], ["MFA"], ["mfa hwk"], ["gold"], []])
    expect((await signIn({ amr })).secondFactorRequired, String(amr)).toBe(true);
  const { api } = await signIn();
  const refused: unknown = await api.accounts.me().catch((error: unknown) => error);
  expect(isLiveplaneError(refused, "SecondFactorRequired")).toBe(true);
}, 30_000);

test("without accepted words nothing that the provider reports counts", async () => {
  const { signIn } = await withAda({});
  expect((await signIn({ acr: "gold", amr: ["mfa"] })).secondFactorRequired).toBe(true);
});

test("the provider is asked for the accepted classes, in their order", async () => {
  const { server } = await signInWorld(accepting);
  const begun = await fetch(`${server.url}/auth/oidc/start?returnTo=/`, { redirect: "manual" });
  expect(new URL(begun.headers.get("location") ?? "").searchParams.get("acr_values")).toBe("gold silver");
  const plain = await signInWorld();
  const without = await fetch(`${plain.server.url}/auth/oidc/start?returnTo=/`, { redirect: "manual" });
  expect(new URL(without.headers.get("location") ?? "").searchParams.has("acr_values")).toBe(false);
});
