import { LiveplaneError } from "../../errors.ts";
import type { IncomingRequest } from "./incoming-request.ts";

/** Where a request is in its host. */
interface FetchRequestParts {
  readonly request: Request;
  readonly target: string;
  readonly base: string;
  readonly address: string | null;
}

function isDeno(): boolean {
  return Reflect.has(globalThis, "Deno");
}

/** A web `Request` in the form that the core reads. */
export class FetchRequest implements IncomingRequest {
  readonly method: string;
  readonly target: string;
  readonly base: string;
  readonly address: string | null;
  readonly isBodyParsed = false;
  readonly #request: Request;

  constructor({ request, target, base, address }: FetchRequestParts) {
    this.method = request.method;
    this.target = target;
    this.base = base;
    this.address = address;
    this.#request = request;
  }

  /** The origin by the request's URL: a host behind a proxy must pass the URL that browsers see. */
  get origin(): string {
    return new URL(this.#request.url).origin;
  }

  /**
   * Never aborts. Deno fires the request's own signal after every answer and warns whoever reads it; a disconnected reader shows by its
   * stream instead.
   */
  get signal(): AbortSignal {
    return isDeno() ? new AbortController().signal : this.#request.signal;
  }

  get bodyLength(): number | null {
    if (this.#request.body === null && !this.#request.bodyUsed) return 0;
    const length = this.#request.headers.get("content-length");
    return length !== null && /^\d+$/.test(length) ? Number(length) : null;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  /** Repeated headers were joined before this code could see them. */
  isRepeated(): boolean {
    return false;
  }

  async readBody(mostBytes: number): Promise<Uint8Array | null> {
    const { body, bodyUsed } = this.#request;
    if (bodyUsed || body === null || body.locked)
      throw new LiveplaneError(
        "ConfigurationInvalid",
        "The request's body has already been read. Pass the request to liveplane unread.",
      );
    const reader = body.getReader();
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new LiveplaneError("Aborted", undefined, { cause });
      });
      if (done) return joined(chunks, size);
      size += value.byteLength;
      if (size > mostBytes) {
        // The sender needn't be told.
        reader.cancel().catch(() => {});
        return null;
      }
      chunks.push(value);
    }
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
