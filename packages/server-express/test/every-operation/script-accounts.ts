import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { keep, listed, type Step, settled, step, type World } from "./script.ts";
import { factors } from "./script-factors.ts";
import { webhooks } from "./script-webhooks.ts";

const password = "correct horse battery";
const other = "staple correct horse";

/** The challenge that was mailed last to an address. */
export async function mailed(to: string, { mails }: Pick<World, "mails">): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    const names = readdirSync(mails).filter((name) => name.endsWith(".json"));
    const all = names.sort().map((name) => JSON.parse(readFileSync(join(mails, name), "utf8")));
    const challenge = all.findLast((mail) => mail.to === to)?.challenge;
    if (challenge) return challenge;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new RangeError(`No mail came to ${to}.`);
}

/** Accounts, sessions, tokens and the groups of a person. */
export const accounts: readonly Step[] = [
  step("accounts.createWithCredentials", "anonymous", () => [{ username: "ada", password }], keep("ada")),
  step("sessions.create", "anonymous", () => [{ username: "ada", password }], keep("adaToken", "accessToken")),
  step("sessions.create", "anonymous", () => [{ username: "ada", password: "wrong" }]),
  step("accounts.createWithCredentials", "anonymous", () => [{ username: "bob", password }], keep("bob")),
  step("accounts.createWithCredentials", "anonymous", () => [{ username: "bob", password: "short" }]),
  step(
    "sessions.create",
    "anonymous",
    () => [{ username: "bob", password }],
    (answer: object, { known }) => {
      known.bobToken = Reflect.get(answer, "accessToken");
      known.bobRefresh = Reflect.get(answer, "refreshToken");
    },
  ),
  step("accounts.me", "ada", () => []),
  step("accounts.list", "operator", () => []),
  step("accounts.list", "operator", () => [{ username: "ADA", status: ["Active", "Suspended"] }]),
  step("accounts.list", "operator", () => [{ email: "nobody@example.com" }]),
  step("accounts.list", "operator", () => [{ status: ["Gone"] }]),
  step("accounts.get", "operator", ({ known }) => [{ accountId: known.ada }]),
  step("accounts.get", "ada", ({ known }) => [{ accountId: known.ada }]),
  step("accounts.update", "ada", () => [{ name: "Ada", phoneNumber: "+4912345678" }]),
  step("accounts.update", "ada", () => [{ name: "Ada" }, { ifMatch: "nonsense" }]),
  step("accounts.changePassword", "bob", () => [{ oldPassword: "wrong", newPassword: other }]),
  step("accounts.changePassword", "bob", () => [{ oldPassword: password, newPassword: other }]),
  step("accounts.serviceAccount", "ada", () => [], keep("service", "serviceAccountId")),
  step("accounts.issueServiceAccountSecret", "ada", () => [{}], keep("serviceSecret", "secret")),
  step("accounts.issueServiceAccountSecret", "ada", () => [{}, { idempotencyKey: "refused" }]),
  step("accounts.issueServiceAccountSecret", "ada", () => [{}], keep("secondSecret")),
  ...listed("accounts.listServiceAccountSecrets"),
  step("accounts.revokeServiceAccountSecret", "ada", ({ known }) => [{ secretId: known.secondSecret }]),
  step("tokens.create", "anonymous", ({ known }) => [
    { grant_type: "client_credentials", client_id: known.service, client_secret: known.serviceSecret },
  ]),
  step("tokens.create", "anonymous", () => [{ grant_type: "refresh_token", refresh_token: "nonsense" }]),
  step("tokens.create", "anonymous", () => [{ grant_type: "client_credentials", client_id: "a", client_secret: "b" }]),
  step("tokens.revoke", "anonymous", () => [{ token: "nonsense" }]),
  step("tokens.keys", "anonymous", () => []),
  step("sessions.list", "ada", () => []),
  step("sessions.methods", "anonymous", () => []),
  step("sessions.createByCode", "anonymous", () => [{ code: "nonsense", codeVerifier: "nonsense" }]),
  step("sessions.authorize", "ada", () => [{ codeChallenge: "c".repeat(43) }]),
  ...listed("accounts.identities.list"),
  step("accounts.identities.authorize", "ada", () => []),
  step("accounts.identities.link", "ada", () => [{ code: "nonsense" }]),
  step("accounts.identities.delete", "ada", ({ known }) => [{ identityId: known.ada }]),
  step(
    "sessions.create",
    "anonymous",
    () => [{ username: "ada", password }],
    async (_, world) => {
      const { items } = await world.as("ada").sessions.list();
      world.known.session = items.find(({ current }) => !current)?.id ?? "";
    },
  ),
  step("sessions.delete", "ada", ({ known }) => [{ sessionId: known.session }]),
  ...factors,
  step(
    "accounts.createWithEmail",
    "anonymous",
    () => [{ email: "eve@example.com" }],
    async (_, world) => {
      world.known.challenge = await mailed("eve@example.com", world);
    },
  ),
  step("accounts.activate", "challenge", () => [{ name: "Eve", surname: "Moor", password: "short" }]),
  step("accounts.activate", "challenge", () => [{ name: "Eve", surname: "Moor", password }]),
  step("accounts.activate", "challenge", () => [{ name: "Eve", surname: "Moor", password }]),
  step(
    "accounts.createWithEmail",
    "anonymous",
    () => [{ email: "zoe@example.com" }],
    async (_, world) => {
      await mailed("zoe@example.com", world);
      const { items } = await world.as("operator").accounts.list();
      world.known.zoe = items.find(({ email }) => email === "zoe@example.com")?.id ?? "";
    },
  ),
  step(
    "accounts.resendChallenge",
    "anonymous",
    () => [{ email: "zoe@example.com" }],
    async (_, world) => {
      const first = world.known.challenge;
      await settled(async () => (await mailed("zoe@example.com", world)) !== first);
      world.known.challenge = await mailed("zoe@example.com", world);
    },
  ),
  step("accounts.activateById", "challenge", ({ known }) => [{ accountId: known.ada }, { password }]),
  step("accounts.requestPasswordReset", "anonymous", () => [{ email: "nobody@example.com" }]),
  step("accounts.resetPassword", "challenge", () => [{ newPassword: other }]),
  step("accounts.setPassword", "operator", ({ known }) => [{ accountId: known.bob }, { newPassword: password }]),
  step("sessions.create", "anonymous", () => [{ username: "bob", password }], keep("bobToken", "accessToken")),
  step("accounts.changePassword", "bob", () => [{ oldPassword: password, newPassword: other }]),
  step("accounts.suspend", "operator", ({ known }) => [{ accountId: known.bob }]),
  step("accounts.me", "bob", () => []),
  step("accounts.resume", "operator", ({ known }) => [{ accountId: known.bob }]),
  step("sessions.create", "anonymous", () => [{ username: "bob", password: other }], keep("bobToken", "accessToken")),
  step("accounts.resourceGroups.upsert", "ada", () => [{ shortName: "mine" }, { displayName: "Mine" }]),
  step("accounts.resourceGroups.get", "ada", () => [{ shortName: "mine" }]),
  step("accounts.resourceGroups.upsertByShortName", "ada", () => [{ shortName: "mine" }, { description: "old" }]),
  step("accounts.resourceGroups.getByShortName", "ada", () => [{ shortName: "mine" }]),
  ...listed("accounts.resourceGroups.list"),
  ...webhooks("accounts.webhooks", () => ({})),
];
