import { loadedOnce } from "../../contract/loaded-once.ts";
import { toBase64Url, utf8 } from "../../encoding.ts";

/** The serialised OpenAPI document with its etag. */
export interface SentDocument {
  readonly text: string;
  /** Weak, because a proxy may compress it. */
  readonly etag: string;
}

/** Where every host serves the document, below its mount. */
export const documentPath = "/openapi.json";

const loaded = loadedOnce("The OpenAPI document", () => import("../../contract/openapi/document.ts"));

/** Serialises the document for a mount. The code that describes the contract is loaded on first use. */
export async function writeDocument(base: string): Promise<SentDocument> {
  const serverUrl = base === "" ? "/" : base;
  const { toOpenApi } = await loaded();
  const text = JSON.stringify(toOpenApi({ serverUrl }));
  const digest = await crypto.subtle.digest("SHA-256", utf8(text) as BufferSource);
  return { text, etag: `W/"${toBase64Url(new Uint8Array(digest)).slice(0, 16)}"` };
}

/** Whether the caller has it already, by `If-None-Match`. */
export function isKnown(sent: string | undefined, etag: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return sent?.split(",").some((tag) => tag.trim() === "*" || bare(tag) === bare(etag)) === true;
}
