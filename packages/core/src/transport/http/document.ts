import { loadedOnce } from "../../contract/loaded-once.ts";
import { toBase64Url, utf8 } from "../../encoding.ts";

/** The OpenAPI document as it is sent, with the name of its content. */
export interface SentDocument {
  readonly text: string;
  /** Weak: somebody on the way may compress it. */
  readonly etag: string;
}

/** Where every host serves the document, below its mount. */
export const documentPath = "/openapi.json";

const loaded = loadedOnce("The OpenAPI document", () => import("../../contract/openapi/document.ts"));

/** Writes the document for a mount: what describes the contract is loaded when somebody asks for it. */
export async function writeDocument(base: string): Promise<SentDocument> {
  const serverUrl = base === "" ? "/" : base;
  const { toOpenApi } = await loaded();
  const text = JSON.stringify(toOpenApi({ serverUrl }));
  const digest = await crypto.subtle.digest("SHA-256", utf8(text) as BufferSource);
  return { text, etag: `W/"${toBase64Url(new Uint8Array(digest)).slice(0, 16)}"` };
}

/** Whether the caller has it already, as `If-None-Match` of a read is compared. */
export function isKnown(sent: string | undefined, etag: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return sent?.split(",").some((tag) => tag.trim() === "*" || bare(tag) === bare(etag)) === true;
}
