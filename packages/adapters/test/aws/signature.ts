import { createHash, createHmac } from "node:crypto";

/** A request as its signature covers it. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** The parts of an `Authorization` header of AWS. */
export function signatureIn(header: string) {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
  const [, key = "", date = "", region = "", service = "", names = "", signature = ""] = found.exec(header) ?? [];
  return signature === "" ? null : { key, date, region, service, names: names.split(";"), signature };
}

/** Signature version 4 as AWS documents it, written for this double only. */
export function signatureOf(
  { method, url, headers, text }: SignedRequest,
  {
    secret,
    date,
    region,
    service,
    names,
  }: Readonly<Record<"secret" | "date" | "region" | "service", string>> & { readonly names: readonly string[] },
): string {
  const { pathname, searchParams } = new URL(url, "http://fake");
  const query = [...searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join("&");
  const lines = names.map((name) => `${name}:${String(headers[name]).trim().replaceAll(/ +/g, " ")}\n`);
  const payload = headers["x-amz-content-sha256"] ?? hashed(text);
  const canonical = [method, pathname, query, lines.join(""), names.join(";"), payload].join("\n");
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hashed(canonical)].join("\n");
  const key = [date, region, service, "aws4_request"].reduce<string | Buffer>(
    (from, part) => mac(from, part),
    `AWS4${secret}`,
  );
  return mac(key, toSign).toString("hex");
}

function mac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function hashed(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
