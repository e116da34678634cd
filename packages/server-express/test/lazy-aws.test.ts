import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const place = {
  environment: "Personal/3f2504e0-4f89-41d3-9a0c-0305e82c3301/production",
  account: "111122223333",
  region: "eu-central-1",
};

/** What of AWS a process has loaded once it has its ports. */
function loaded(environment: Readonly<Record<string, string>>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "liveplane-lazy-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const code = `
    import { registerHooks } from "node:module";
    const seen = new Set();
    registerHooks({
      load(url, context, next) {
        const [, name] = /(adapters\\/src\\/aws-cloud|tables\\/aws[-a-z]*\\.json|aws4fetch|@aws-sdk\\/credential-providers)/.exec(url) ?? [];
        if (name !== undefined) seen.add(name);
        return next(url, context);
      },
    });
    const { readConfig } = await import(${JSON.stringify(import.meta.resolve("../src/configuration/config.ts"))});
    const { openPorts } = await import(${JSON.stringify(import.meta.resolve("../src/ports.ts"))});
    await openPorts(readConfig({ environment: ${JSON.stringify({ ...environment, LIVEPLANE_DATA: folder })} }));
    console.log(JSON.stringify([...seen].sort()));
    process.exit(0);
  `;
  const options = ["--conditions=@liveplane/source", "--input-type=module", "--eval", code];
  return JSON.parse(execFileSync(process.execPath, options, { encoding: "utf8" })) as string[];
}

test("a server loads nothing of AWS unless an environment is there, and names and signatures only when they are needed", () => {
  const real = { LIVEPLANE_SIMULATED_CLOUDS: "off" };
  expect(loaded({})).toEqual([]);
  expect(loaded(real)).toEqual([]);
  expect(loaded({ ...real, LIVEPLANE_AWS: JSON.stringify([place]) })).toEqual([
    "@aws-sdk/credential-providers",
    "adapters/src/aws-cloud",
    "tables/aws.json",
  ]);
});
