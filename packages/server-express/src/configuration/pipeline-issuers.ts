import type { Read } from "./settings.ts";

/** A CI whose pipelines may sign in, and this service's name in its tokens. */
export interface PipelineIssuerSetting {
  readonly issuer: string;
  readonly audience: string;
}

/** Reads a JSON list of `{"issuer": "https://token.actions.githubusercontent.com", "audience": "https://liveplane.example"}`. */
export function readPipelineIssuers(text: string): Read<readonly PipelineIssuerSetting[]> {
  const reason =
    "must be a JSON list of {issuer: an https URL, audience: this service's name in its tokens}, each issuer once";
  const list = jsonOf(text);
  const issuers = Array.isArray(list) ? list.map(issuerIn) : [null];
  const found = issuers.filter((issuer) => issuer !== null);
  const isEachOnce = new Set(found.map(({ issuer }) => issuer)).size === issuers.length;
  return isEachOnce ? { value: found } : { reason };
}

function issuerIn(entry: unknown): PipelineIssuerSetting | null {
  const { issuer, audience, ...others } = Object(entry) as Readonly<Record<string, unknown>>;
  const isWhole = typeof issuer === "string" && typeof audience === "string" && audience !== "";
  return isWhole && isTrustworthy(issuer) && Object.keys(others).length === 0 ? { issuer, audience } : null;
}

/** Its keys are loaded from there: over TLS, or from this machine. */
function isTrustworthy(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false;
  const { protocol, hostname } = new URL(issuer);
  return protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
