import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@liveplane/client";
import { expect, test } from "vitest";
import { emptyFolder, runExample, runServer } from "./run-example.ts";

test("ci-cd rotates a secret and a key as a service account, and says what is wrong without a value", async () => {
  const { url, credentials } = await runServer();
  const api = createClient({ baseUrl: url, credentials });
  const { id: ownerId } = await api.accounts.me();
  const environment = { type: "Personal", ownerId, shortName: "production" } as const;
  await api.environments.create(environment, {});
  const principalId = crypto.randomUUID();
  await api.environments.serviceAccounts.assign({ ...environment, principalId }, { serviceAccountRole: "CiCd" });
  const { secret } = await api.environments.serviceAccounts.issueSecret({ ...environment, principalId }, {});

  const key = join(emptyFolder(), "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const pipeline = {
    LIVEPLANE_URL: url,
    CLIENT_ID: principalId,
    CLIENT_SECRET: secret,
    OWNER_ID: ownerId,
    SSH_KEY_FILE: key,
    DB_PASSWORD: "first value",
  };
  const first = await runExample("examples/ci-cd/rotate.ts", pipeline);
  expect(first.stderr).toBe("");
  expect(first.stdout).toContain("db is at version 1");
  const [, fingerprint] = execFileSync("ssh-keygen", ["-l", "-f", key], { encoding: "utf8" }).split(" ");
  expect(first.stdout).toContain(`deploy signs with ${fingerprint}`);

  const second = await runExample("examples/ci-cd/rotate.ts", { ...pipeline, DB_PASSWORD: "second value" });
  expect(second.stdout).toContain("db is at version 2");

  const wrong = await runExample("examples/ci-cd/rotate.ts", { ...pipeline, SSH_KEY_FILE: `${key}.pub` });
  expect(wrong.exitCode).toBe(1);
  expect(wrong.stderr).toMatch(/^InvalidSshPrivateKey: .*\n {2}#\/0\/sshPrivateKeyData /);
  expect(wrong.stderr).not.toContain(readFileSync(`${key}.pub`, "utf8").split(" ")[1]);
}, 60_000);
