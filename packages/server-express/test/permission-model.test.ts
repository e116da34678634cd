import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient } from "@liveplane/client";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { bundledServer } from "../../../quality/bundled-server.ts";
import { keptKeys } from "../../adapters/test/ssh-keys/ssh-keys-kept.ts";
import { operatorPassword } from "./running-server.ts";
import { bareEnvironment } from "./server-process.ts";

const root = join(import.meta.dirname, "../../..");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "liveplane-permissions-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The flags for Node in what people deploy, with the code and the data where this test has them. */
function flagsIn(file: string, code: string, data: string): string[] {
  const text = readFileSync(join(root, "deploy", file), "utf8");
  const flags = [...text.matchAll(/--(?:permission|allow-[\w-]+|disable-warning)(?:=[^\s",]+)?/g)].map(
    ([flag]) => flag,
  );
  return flags.map((flag) => flag.replace(`=${code}`, `=${root}/`).replace(`=${data}`, `=${folder}/`));
}

function start(flags: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const { NODE_COMPILE_CACHE: _, ...bare } = bareEnvironment;
  // The threads load sources.
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", ...flags, bundledServer], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...bare, PORT: "0", LIVEPLANE_DATA: folder, LIVEPLANE_OPERATOR_PASSWORD: operatorPassword, ...settings },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => {
      said += text;
    });
  return { child, said: () => said };
}

describe.each([
  ["systemd/liveplane.service", "/opt/liveplane/", "/var/lib/liveplane/"],
  ["Dockerfile", "/app/", "/data/"],
])("with the flags of %s", (file, code, data) => {
  const flags = flagsIn(file, code, data);

  test("the server starts, hashes, reads SSH keys, stores and stops", { timeout: 60_000 }, async () => {
    expect(flags).toEqual(expect.arrayContaining(["--permission", `--allow-fs-write=${folder}/`]));
    const { child, said } = start(flags);
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const { url } = JSON.parse(line) as { readonly url: string };
    const { accessToken } = await createClient({ baseUrl: url }).sessions.create({
      username: "operator",
      password: operatorPassword,
    });
    const operator = createClient({ baseUrl: url, token: accessToken });
    const me = await operator.accounts.me();
    const dev = { type: "Personal", ownerId: me.id, shortName: "dev" } as const;
    await operator.environments.create(dev, {});
    const { text, facts } = keptKeys["ed25519 as OPENSSH"];
    const profile = { shortName: "deploy", sshPrivateKeyData: text };
    expect(await operator.environments.ciCdProfiles.create(dev, profile)).toMatchObject({
      fingerprint: facts.fingerprint,
    });
    await operator.environments.delete(dev);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(said()).not.toMatch(/ERR_ACCESS_DENIED|SecurityWarning/);
  });

  test("it starts where the permission model refuses to flush files, as from Node 26 on", {
    timeout: 60_000,
  }, async () => {
    const refuses = `import { open } from "node:fs/promises";
      const handle = await open(${JSON.stringify(join(root, "package.json"))});
      Object.getPrototypeOf(handle).sync = async () => { throw new Error("fsync API is disabled"); };
      await handle.close();`;
    const data = join(folder, "new");
    const { child } = start([...flags, `--import=data:text/javascript,${encodeURIComponent(refuses)}`], {
      LIVEPLANE_DATA: data,
    });
    await once(createInterface(child.stdout), "line");
    expect(readFileSync(join(data, "key-ring"), "utf8")).toMatch(/^\S{44}\n$/);
    rmSync(data, { recursive: true });
  });

  test("data elsewhere is refused", async () => {
    const { child, said } = start(flags, { LIVEPLANE_DATA: `${folder}-elsewhere` });
    expect(await once(child, "exit")).toEqual([2, null]);
    expect(said()).toContain(`Can't write to the data folder ${folder}-elsewhere (ERR_ACCESS_DENIED)`);
  });
});
