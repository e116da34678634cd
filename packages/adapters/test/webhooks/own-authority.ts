import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether the machine can make certificates. */
export const canCertify = spawnSync("openssl", ["version"]).status === 0;

/** An authority that nobody knows, and what a server for `localhost` shows that it has certified. */
export interface OwnAuthority {
  /** The file of the authority's certificate. */
  readonly file: string;
  readonly ca: string;
  readonly tls: { readonly key: string; readonly cert: string };
  end(): void;
}

/** Makes an authority, and a server's certificate by it. */
export function ownAuthority(): OwnAuthority {
  const folder = mkdtempSync(join(tmpdir(), "liveplane-authority-"));
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout"];
  const subject = (name: string) => ["-subj", `/CN=${name}`];
  writeFileSync(at("names"), "subjectAltName=DNS:localhost");
  openssl("req", "-x509", ...newKey, "ca.key", "-out", "ca.pem", "-days", "2", ...subject("An authority of a test"));
  openssl("req", ...newKey, "key.pem", "-out", "request.pem", ...subject("localhost"));
  const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names", "-days", "2"];
  openssl("x509", "-req", "-in", "request.pem", ...signing, "-out", "cert.pem");
  const read = (name: string) => readFileSync(at(name), "utf8");
  return {
    file: at("ca.pem"),
    ca: read("ca.pem"),
    tls: { key: read("key.pem"), cert: read("cert.pem") },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}
