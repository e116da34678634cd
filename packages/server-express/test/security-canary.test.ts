import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@liveplane/client";
import { expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { spanReceiver } from "./observing/span-receiver.ts";
import { send } from "./raw-http.ts";
import { startProcess } from "./server-process.ts";

const canaries = [
  "canary-password-9Qx7",
  "canary-secret-value-4Zk2",
  "canary-cloud-secret-8Wm1",
  "canary-wrong-password-3Jp5",
] as const;
const [password, value, cloudSecret, wrongPassword] = canaries;

test("no secret is in the log, in a refusal, in an event, in the metrics or in the clear on the disk", {
  timeout: 90_000,
}, async () => {
  const dataDir = emptyFolder();
  const receiver = await spanReceiver();
  onTestFinished(receiver.end);
  const server = await startProcess(dataDir, { LIVEPLANE_LOG: "debug", ...receiver.environment });
  onTestFinished(() => void server.child.kill("SIGKILL"));
  const { url } = server;
  const anonymous = createClient({ baseUrl: url, retries: 0 });
  const { id } = await anonymous.accounts.createWithCredentials({ username: "ada", password });
  const { accessToken, refreshToken } = await anonymous.sessions.create({ username: "ada", password });
  const ada = createClient({ baseUrl: url, token: accessToken, retries: 0 });
  const at = { type: "Personal", ownerId: id, shortName: "web" } as const;
  await ada.environments.create(at, {});
  await ada.environments.secrets.create(at, { shortName: "db", value });
  await ada.environments.providerA.initialize(
    at,
    { subscriptionId: crypto.randomUUID(), region: "westeurope" },
    { providerAClientId: crypto.randomUUID(), providerAClientSecret: cloudSecret },
  );

  const answers: string[] = [];
  const refuse = async (
    method: string,
    path: string,
    json: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const { text, headers: sent } = await send(url, { method, path, json, headers, token: accessToken });
    answers.push(text, JSON.stringify(sent));
  };
  const environment = `/environments/Personal/${id}/web`;
  await refuse("POST", "/auth/sessions", { username: "ada", password: wrongPassword });
  await refuse("POST", "/auth/sessions", { username: "ada", password: [wrongPassword] });
  await refuse("POST", "/accounts/me/password", { oldPassword: wrongPassword, newPassword: password });
  await refuse("POST", `${environment}/secrets`, { shortName: "db", value });
  await refuse("POST", `${environment}/secrets`, { shortName: [value], unknown: value, value: { value } });
  await refuse("POST", `${environment}/secrets/bulk`, [{ shortName: "a", value: [value] }, { shortName: `${value} ` }]);
  await refuse("POST", `${environment}/ci-cd-profiles`, {
    shortName: "p",
    sshPrivateKeyData: value,
    sshPrivateKeyPassphrase: value,
  });
  await refuse("GET", `${environment}/secrets/db/reveal`, undefined);
  await refuse(
    "POST",
    `${environment}/initializer/provider-a/initialize`,
    { region: cloudSecret },
    { "x-provider-a-client-secret": cloudSecret },
  );
  await refuse("GET", `/environments/Personal/${id}/web?cursor=${value}`, undefined);
  await refuse("POST", "/auth/token", { grant_type: "refresh_token", refresh_token: wrongPassword });
  const events = await fetch(`${url}/events?after=0`, {
    headers: { authorization: `Bearer ${accessToken}` },
    signal: AbortSignal.timeout(1_500),
  });
  let told = "";
  try {
    for await (const chunk of events.body ?? []) told += Buffer.from(chunk).toString("utf8");
  } catch {
    // Its time is over.
  }
  expect(told).toContain("secret.created");
  const metrics = (await send(url, { path: "/metrics" })).text;
  const listed = JSON.stringify((await ada.environments.secrets.list(at)).items);
  server.child.kill("SIGTERM");
  expect(await server.ended).toBe(0);

  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const disk = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("");
  expect(server.log()).toContain("environments.secrets.create");
  expect(receiver.text()).toContain("environments.secrets.create");
  for (const canary of canaries) {
    for (const [where, text] of Object.entries({
      log: server.log(),
      answers: answers.join(""),
      told,
      metrics,
      listed,
      disk,
      spans: receiver.text(),
    }))
      expect({ canary, where, found: text.includes(canary) }).toEqual({ canary, where, found: false });
  }
  for (const token of [accessToken, refreshToken])
    expect((server.log() + disk + told + receiver.text()).includes(token)).toBe(false);
});
