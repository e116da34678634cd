import { couldTakeKey, takesIdempotencyKey } from "../contract/error-answers.ts";
import { parseRoute } from "../contract/routes.ts";
import type { Operation } from "../contract/row.ts";
import { actorName } from "../contract/target.ts";
import { toHex, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Json } from "../ports/store.ts";
import { collection } from "../records/collection.ts";
import type { Change, Records } from "../records/records.ts";
import { isResting } from "../records/rest.ts";
import type { Services } from "../services.ts";
import type { Idempotency, Reply, Request } from "./dispatch.ts";

/** A used key. */
interface Receipt {
  readonly principal: string;
  readonly route: string;
  readonly key: string;
  /** The request that has it; after the key was released, another request has another. */
  readonly claim: string;
  /** A keyed digest of the body: a different body with the same key is refused, and no body is stored. */
  readonly body: string;
  /** `carriedOut`: the change is made, and its answer is about to be stored. `unanswered`: it is made, and failed afterwards. */
  readonly state: "inFlight" | "carriedOut" | "answered" | "unanswered";
  readonly startedAt: number;
  readonly reply?: { readonly status: number; readonly value: Json; readonly location?: string };
}

type AnsweredReceipt = Receipt & Required<Pick<Receipt, "reply">>;

const receipts = collection<Receipt>()("receipt", { key: ({ principal, route, key }) => [principal, route, key] });

/** After this time a request is assumed to have died with its process: its key is free again, or its answer lost. */
const abandonedAfterMs = 60_000;

/** Stores keys, so that every process of an installation knows them. */
export function createIdempotency(
  deps: Pick<Services, "records" | "runtime" | "settings" | "formerKeys" | "digestKey">,
): Idempotency {
  const { records, runtime, settings, digestKey, formerKeys = async () => [] } = deps;
  const lifetimeMs = settings.idempotencySeconds * 1000;
  const system = (request: Request) => ({ actor: "system", requestId: request.requestId });

  /** The receipt that answers, or the new one. */
  async function claim(request: Request, receipt: Receipt, bodies: readonly string[]): Promise<Receipt> {
    return records.change(system(request), async (change) => {
      const known = await change.get(receipts, [receipt.principal, receipt.route, receipt.key]);
      if (known !== null && !isFree(known, receipt.startedAt)) return judge(known, { bodies, now: receipt.startedAt });
      change.put(receipts, receipt, { expiresAt: receipt.startedAt + lifetimeMs });
      return receipt;
    });
  }

  async function unlessItFails({ requestId }: Request, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      runtime.logger.warn({ requestId, cause }, "An idempotency key could not be updated.");
    }
  }

  async function carryOut(
    request: Request,
    receipt: Receipt,
    work: (request: Request) => Promise<Reply>,
  ): Promise<Reply> {
    const expiresAt = receipt.startedAt + lifetimeMs;
    const keep = async (change: Change, kept: Receipt) => {
      await refuseForeign(change, receipt);
      change.put(receipts, kept, { expiresAt });
    };
    const put = (change: Change) => keep(change, { ...receipt, state: "carriedOut" });
    const reply = await work({ ...request, receipt: { put } }).catch(async (error: unknown) => {
      await unlessItFails(request, () => release(records, system(request), { receipt, expiresAt }));
      throw error;
    });
    const { status, value, location } = reply;
    const kept = { status, value: value as Json, ...(location !== undefined && { location }) };
    // The change is made and is answered, even if the answer can't be stored.
    await unlessItFails(request, () =>
      records.change(system(request), (change) => keep(change, { ...receipt, state: "answered", reply: kept })),
    );
    return reply;
  }

  /** The digests of a request, by the current key and the earlier ones. */
  async function digestsOf(request: Request, body: unknown): Promise<readonly [string, ...string[]]> {
    const bytes = request.bodyBytes?.() ?? utf8(JSON.stringify(body) ?? "");
    const query = Object.keys(request.query).length === 0 ? "" : JSON.stringify(request.query);
    const asked = query === "" ? bytes : utf8(`${toHex(bytes)} ${query}`);
    const digestBy = async (key: Uint8Array) => toHex(await runtime.crypto.hmac(key, asked));
    return [await digestBy(await digestKey()), ...(await Promise.all((await formerKeys()).map(digestBy)))];
  }

  return {
    async recall(request, actor, row) {
      const key = request.idempotencyKey;
      if (key === undefined || !takesIdempotencyKey(row) || !isKey(key)) return undefined;
      const known = await records.get(receipts, [actorName(actor), routeAsSent(request), key]);
      if (known === null || isFree(known, runtime.clock.now())) return undefined;
      return async (body) => {
        const { reply } = judge(known, { bodies: await digestsOf(request, body), now: runtime.clock.now() });
        return { row, ...reply };
      };
    },

    async run(request, actor, row, body, work) {
      if (!takesKey(request, row)) return work(request);
      const bodies = await digestsOf(request, body);
      const receipt: Receipt = {
        principal: actorName(actor),
        route: routeAsSent(request),
        key: checkedKey(request.idempotencyKey ?? ""),
        claim: runtime.newId(),
        body: bodies[0],
        state: "inFlight",
        startedAt: runtime.clock.now(),
      };
      const claimed = await claim(request, receipt, bodies);
      if (claimed.reply !== undefined) return { row, ...claimed.reply };
      return carryOut(request, receipt, work);
    },
  };
}

/** A change is made only while its key belongs to it, even if it was slow or its commit arrives late. */
async function refuseForeign(change: Change, { principal, route, key, claim }: Receipt): Promise<void> {
  const known = await change.get(receipts, [principal, route, key]);
  if (known !== null && known.claim !== claim) throw new LiveplaneError("IdempotencyInFlight");
}

/**
 * Releases the key of a refused request, unless it made its change. Afterwards a commit with unknown outcome can't be made: it checks the
 * receipt, which is gone.
 */
async function release(
  records: Records,
  cause: { actor: string; requestId: string },
  { receipt, expiresAt }: { readonly receipt: Receipt; readonly expiresAt: number },
): Promise<void> {
  const key = [receipt.principal, receipt.route, receipt.key];
  await records.change(cause, async (change) => {
    const known = await change.get(receipts, key);
    if (known?.claim !== receipt.claim) return;
    if (known.state === "inFlight") change.delete(receipts, key);
    else change.put(receipts, { ...known, state: "unanswered" }, { expiresAt });
  });
}

/** A wrong clock releases a key too soon, which is harmless: the previous holder's change is then refused. */
function isAbandoned({ startedAt }: Receipt, now: number): boolean {
  return !isResting(startedAt + abandonedAfterMs, abandonedAfterMs, now);
}

/** The previous holder is gone and has changed nothing. */
function isFree(known: Receipt, now: number): boolean {
  return known.state === "inFlight" && isAbandoned(known, now);
}

/** `bodies`: the digests of the sent body, by the current key and the earlier ones. */
function judge(
  known: Receipt,
  { bodies, now }: { readonly bodies: readonly string[]; readonly now: number },
): AnsweredReceipt {
  if (!bodies.includes(known.body))
    throw new LiveplaneError("IdempotencyKeyReused", "The key was used for another request. Use a new key.");
  if (known.state === "answered" && known.reply !== undefined) return { ...known, reply: known.reply };
  const ends = known.state === "inFlight" || known.state === "carriedOut";
  if (ends && !isAbandoned(known, now)) throw new LiveplaneError("IdempotencyInFlight");
  throw new LiveplaneError(
    "AlreadyExists",
    "The request was carried out, but its answer was lost. Read the result instead.",
  );
}

function takesKey(request: Request, row: Operation): boolean {
  if (request.idempotencyKey === undefined || !couldTakeKey(row)) return false;
  if (row.secretResult === true)
    throw refusedKey("This operation returns a secret only once, so it doesn't accept an idempotency key.");
  return true;
}

function isKey(key: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(key);
}

function checkedKey(key: string): string {
  if (!isKey(key)) throw refusedKey("An idempotency key must be 1 to 255 visible ASCII characters.");
  return key;
}

function refusedKey(detail: string): LiveplaneError {
  const code = "Format";
  return new LiveplaneError("ValidationFailed", detail, {
    details: { errors: [{ header: "Idempotency-Key", code, detail }] },
  });
}

/** The method and the path. In process, only the first method exists. */
function routeAsSent({ operation, params, path }: Request): string {
  if (path !== undefined) return path;
  const route = parseRoute(operation);
  const filled = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  return `${route.methods[0]} ${filled}`;
}
