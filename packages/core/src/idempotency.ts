import { parseRoute } from "./contract/routes.ts";
import type { Operation } from "./contract/row.ts";
import { actorName } from "./contract/target.ts";
import type { Idempotency, Request } from "./dispatch.ts";
import { toHex, utf8 } from "./encoding.ts";
import { LiveplaneError } from "./errors.ts";
import type { Runtime } from "./ports/runtime.ts";
import type { Json } from "./ports/store.ts";
import { collection } from "./records/collection.ts";
import type { Change, Records } from "./records/records.ts";

/** A key that was used: in flight, carried out, or answered. */
interface Receipt {
  readonly principal: string;
  readonly route: string;
  readonly key: string;
  /** A keyed digest of the body: another body under the same key is refused, and no body is kept. */
  readonly body: string;
  readonly state: "inFlight" | "carriedOut" | "answered";
  readonly startedAt: number;
  readonly reply?: { readonly status: number; readonly value: Json; readonly location?: string };
}

const receipts = collection<Receipt>()("receipt", { key: ({ principal, route, key }) => [principal, route, key] });

/** A key that a crash left in flight is free again after so long. */
const abandonedAfterMs = 60_000;

/** What the memory of idempotency keys needs. */
export interface IdempotencyDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly settings: { readonly idempotencySeconds: number };
  /** A key of the installation, for the digest. */
  readonly digestKey: () => Promise<Uint8Array>;
}

/** Remembers keys in the store, so that every process of an installation knows them. */
export function createIdempotency({ records, runtime, settings, digestKey }: IdempotencyDeps): Idempotency {
  const lifetimeMs = settings.idempotencySeconds * 1000;
  const system = (request: Request) => ({ actor: "system", requestId: request.requestId });

  async function claim(request: Request, receipt: Receipt): Promise<Receipt> {
    return records.change(system(request), async (change) => {
      const known = await change.get(receipts, [receipt.principal, receipt.route, receipt.key]);
      if (known !== null) {
        const abandoned = known.state === "inFlight" && receipt.startedAt - known.startedAt >= abandonedAfterMs;
        if (!abandoned) return judge(known, receipt);
      }
      change.put(receipts, receipt, { expiresAt: receipt.startedAt + lifetimeMs });
      return receipt;
    });
  }

  return {
    async run(request, actor, row, body, work) {
      if (!takesKey(request, row)) return work(request);
      const receipt: Receipt = {
        principal: actorName(actor),
        route: routeAsSent(request),
        key: checkedKey(request.idempotencyKey ?? ""),
        body: toHex(
          await runtime.crypto.hmac(await digestKey(), request.bodyBytes?.() ?? utf8(JSON.stringify(body) ?? "")),
        ),
        state: "inFlight",
        startedAt: runtime.clock.now(),
      };
      const claimed = await claim(request, receipt);
      if (claimed.state === "answered" && claimed.reply !== undefined) return { row, ...claimed.reply };
      const expiresAt = receipt.startedAt + lifetimeMs;
      const put = (change: Change) => void change.put(receipts, { ...receipt, state: "carriedOut" }, { expiresAt });
      try {
        const reply = await work({ ...request, receipt: { put } });
        const { status, location } = reply;
        const kept = { status, value: reply.value as Json, ...(location !== undefined && { location }) };
        await records.change(
          system(request),
          (change) => void change.put(receipts, { ...receipt, state: "answered", reply: kept }, { expiresAt }),
        );
        return reply;
      } catch (error) {
        await release(records, system(request), receipt);
        throw error;
      }
    },
  };
}

/** Frees the key of a request that was refused; what it has carried out stays taken. */
async function release(records: Records, cause: { actor: string; requestId: string }, receipt: Receipt): Promise<void> {
  const key = [receipt.principal, receipt.route, receipt.key];
  await records.change(cause, async (change) => {
    const known = await change.get(receipts, key);
    if (known?.state === "inFlight" && known.startedAt === receipt.startedAt) change.delete(receipts, key);
  });
}

function judge(known: Receipt, sent: Receipt): Receipt {
  if (known.body !== sent.body)
    throw new LiveplaneError("IdempotencyKeyReused", "The key was used with another body. Use a new key.");
  if (known.state === "inFlight") throw new LiveplaneError("IdempotencyInFlight");
  if (known.state === "carriedOut") {
    throw new LiveplaneError(
      "AlreadyExists",
      "The request was carried out, but its answer was lost. Read the result instead.",
    );
  }
  return known;
}

function takesKey(request: Request, row: Operation): boolean {
  if (request.idempotencyKey === undefined) return false;
  if (!parseRoute(row.id).methods.includes("POST")) return false;
  // Whom nobody knows by name could be answered what somebody else was.
  if ("who" in row.access && ["anyone", "challenge"].includes(row.access.who)) return false;
  if (row.secretResult === true) throw refusedKey("This operation answers a secret once and takes no idempotency key.");
  return true;
}

function checkedKey(key: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw refusedKey("An idempotency key is 1 to 255 visible ASCII characters.");
  return key;
}

function refusedKey(detail: string): LiveplaneError {
  const code = "Format";
  return new LiveplaneError("ValidationFailed", detail, {
    details: { errors: [{ header: "Idempotency-Key", code, detail }] },
  });
}

function routeAsSent({ operation, params, path }: Request): string {
  if (path !== undefined) return path;
  return parseRoute(operation).path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
}
