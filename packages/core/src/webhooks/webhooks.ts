import type { Call, Handlers } from "../contract/handler.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import type { Webhook, WebhookInput, WebhookUpdate } from "../contract/schemas/webhook-schemas.ts";
import { actorName } from "../contract/target.ts";
import { fromUtf8, nowText, toInstant, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Sealer } from "../ports/secrets.ts";
import type { Cause, Change, Stored } from "../records/records.ts";
import { isSameRecord } from "../records/same-record.ts";
import { countUse, useCount, webhooksOf } from "../records/uses.ts";
import type { Services } from "../services.ts";
import { startedOver } from "./cursor.ts";
import { askAgain, askForTest } from "./redelivery.ts";
import { newWebhookSecret } from "./signature.ts";
import {
  requireAddress,
  requireOwner,
  requireSender,
  requireVisible,
  requireWebhook,
  type WebhookCall,
} from "./webhook-access.ts";
import {
  aboutOwner,
  addressPlace,
  type DeliveryRecord,
  deliveries,
  failingSince,
  type KeptWebhookSecret,
  signingSecrets,
  toDelivery,
  toWebhook,
  type WebhookRecord,
  webhookCursors,
  webhookSecretPlace,
  webhooks,
} from "./webhook-record.ts";

type WebhookHandlers = Handlers<"accounts.webhooks"> & Handlers<"organizations.webhooks">;
type Both<Name extends string> = Call<Extract<keyof WebhookHandlers, `${string}.webhooks.${Name}`>>;

const mostWebhooks = 20;
const overlapMs = 86_400_000;
const mostSecrets = 5;
/** By so many of its latest deliveries it is judged whether a webhook fails. */
const judgedBy = 25;

/** Creates the handlers for webhooks: those of accounts and of organizations differ only in the owner. */
export function createWebhooks(
  deps: Pick<Services, "records" | "pages" | "runtime" | "sealer" | "log" | "accountOf" | "sender" | "sight"> & {
    readonly wake: (webhookId: string) => void;
  },
): WebhookHandlers {
  return {
    "accounts.webhooks.list": (call) => list(deps, call),
    "accounts.webhooks.create": (call) => create(deps, call),
    "accounts.webhooks.get": (call) => get(deps, call),
    "accounts.webhooks.update": (call) => update(deps, call),
    "accounts.webhooks.delete": (call) => remove(deps, call),
    "accounts.webhooks.issueSecret": (call) => issueSecret(deps, call),
    "accounts.webhooks.test": (call) => test(deps, call),
    "accounts.webhooks.resume": (call) => resume(deps, call),
    "accounts.webhooks.deliveries.list": (call) => listDeliveries(deps, call),
    "accounts.webhooks.deliveries.redeliver": (call) => redeliver(deps, call),
    "organizations.webhooks.list": (call) => list(deps, call),
    "organizations.webhooks.create": (call) => create(deps, call),
    "organizations.webhooks.get": (call) => get(deps, call),
    "organizations.webhooks.update": (call) => update(deps, call),
    "organizations.webhooks.delete": (call) => remove(deps, call),
    "organizations.webhooks.issueSecret": (call) => issueSecret(deps, call),
    "organizations.webhooks.test": (call) => test(deps, call),
    "organizations.webhooks.resume": (call) => resume(deps, call),
    "organizations.webhooks.deliveries.list": (call) => listDeliveries(deps, call),
    "organizations.webhooks.deliveries.redeliver": (call) => redeliver(deps, call),
  };
}

async function list(
  deps: Pick<Services, "records" | "pages" | "runtime" | "accountOf" | "sight">,
  { actor, params, query }: Both<"list">,
) {
  const { type, id } = await requireOwner(deps, deps.records, { actor, params });
  const bind = [actorName(actor), "webhooks", type, id];
  const page = await deps.pages.page<WebhookRecord>(
    (range) => deps.records.list(webhooks, { index: "ofOwner", prefix: [type, id], ...range }),
    { ...query, bind },
  );
  return { value: { ...page, items: await Promise.all(page.items.map((record) => shown(deps, record))) } };
}

async function create(
  deps: Pick<Services, "records" | "runtime" | "sealer" | "log" | "accountOf" | "sender" | "sight">,
  { actor, params, body, cause }: Both<"create">,
) {
  const { records, runtime, sealer } = deps;
  requireAddress(deps, body.url);
  const [id, secret, time] = [runtime.newId(), newWebhookSecret(runtime.crypto), nowText({ runtime })];
  const url = await sealer.seal(utf8(body.url), addressPlace({ id }));
  const first = await sealedSecret(deps, id, secret);
  // Earlier events are sequenced first, so a webhook starts with its own creation.
  await deps.log.sequence();
  const after = await deps.log.head();
  const made = await records.change(cause, async (change) => {
    const owner = await requireOwner(deps, change, { actor, params });
    await requireVisible(deps, owner, body);
    const place = webhooksOf(owner.type, owner.id);
    if ((await useCount(change, place)) >= mostWebhooks)
      throw new LiveplaneError("InvalidState", `There are already ${mostWebhooks} webhooks. Delete one first.`);
    await countUse(change, place, 1);
    emitChanged(change, "webhook.created", { id, owner }, []);
    change.put(webhookCursors, { webhookId: id, after, failing: null, dueAt: 0, claim: null });
    return change.put(webhooks, {
      ...{ id, owner, url, origin: new URL(body.url).origin, secrets: [first] },
      ...membersOf(body, {
        name: body.name,
        format: "cloudevents",
        types: [],
        liveSystemId: null,
        environmentId: null,
      }),
      ...{ status: "Active", pausedAt: null, pausedBecause: null },
      ...{ createdAt: time, createdBy: cause.actor, updatedAt: time, updatedBy: cause.actor },
    });
  });
  return { value: { ...(await shown(deps, made)), url: body.url, secret }, made: true, location: locationOf(made) };
}

async function get(deps: Pick<Services, "records" | "runtime" | "accountOf" | "sight">, call: Both<"get">) {
  const record = await requireWebhook(deps, deps.records, call);
  return { value: await shown(deps, record) };
}

async function update(
  deps: Pick<Services, "records" | "runtime" | "sealer" | "accountOf" | "sender" | "sight">,
  call: Both<"update">,
) {
  const { sealer } = deps;
  const { params, body, preconditions, cause } = call;
  if (body.url !== undefined) requireAddress(deps, body.url);
  const place = addressPlace({ id: params.webhookId });
  const address =
    body.url === undefined ? {} : { url: await sealer.seal(utf8(body.url), place), origin: new URL(body.url).origin };
  const stored = await deps.records.change(cause, async (change) => {
    const known = await requireWebhook(deps, change, call);
    checkPreconditions(preconditions, known);
    await requireVisible(deps, known.owner, body);
    const isNewAddress = body.url !== undefined && body.url !== (await addressOf(sealer, known));
    const next = { ...known, ...membersOf(body, known), ...(isNewAddress && address) };
    if (isSameRecord<WebhookRecord>(known, next)) return known;
    const changed = Object.keys(body).filter((name) => name !== "url" || isNewAddress);
    emitChanged(change, "webhook.updated", known, changed);
    return change.put(webhooks, { ...next, ...stampOf(deps, cause) });
  });
  return { value: await shown(deps, stored) };
}

async function remove(deps: Pick<Services, "records" | "runtime" | "accountOf" | "sight">, call: Both<"delete">) {
  const removed = await deps.records.change(call.cause, async (change) => {
    const known = await requireWebhook(deps, change, call);
    checkPreconditions(call.preconditions, known);
    await removeWebhook(change, known);
    emitChanged(change, "webhook.deleted", known, []);
    return known;
  });
  return { value: await shown(deps, removed) };
}

async function issueSecret(
  deps: Pick<Services, "records" | "runtime" | "sealer" | "accountOf" | "sight">,
  call: Both<"issueSecret">,
) {
  const { runtime } = deps;
  const secret = newWebhookSecret(runtime.crypto);
  const made = await sealedSecret(deps, call.params.webhookId, secret);
  const formerEndsAt = toInstant(runtime.clock.now() + overlapMs);
  await deps.records.change(call.cause, async (change) => {
    const known = await requireWebhook(deps, change, call);
    const alive = signingSecrets(known.secrets, runtime.clock.now());
    if (alive.length >= mostSecrets)
      throw new LiveplaneError(
        "InvalidState",
        `There are already ${mostSecrets} valid signing secrets. Wait until one expires.`,
      );
    const former = alive.map((one) => ({ ...one, endsAt: one.endsAt ?? formerEndsAt }));
    change.put(webhooks, { ...known, secrets: [made, ...former], ...stampOf(deps, call.cause) });
    const data = { secretId: made.id };
    change.emit({ type: "webhook.secret_issued", subject: known.id, about: aboutOwner(known.owner), data });
  });
  return { value: { id: made.id, secret, formerEndsAt }, made: true };
}

async function test(
  deps: Pick<Services, "records" | "runtime" | "accountOf" | "sender" | "sight"> & {
    readonly wake: (webhookId: string) => void;
  },
  call: Both<"test">,
) {
  return asked(deps, call, (change, webhook) => askForTest(deps, change, webhook));
}

async function resume(
  deps: Pick<Services, "records" | "runtime" | "accountOf" | "sight"> & { readonly wake: (webhookId: string) => void },
  call: Both<"resume">,
) {
  const stored = await deps.records.change(call.cause, async (change) => {
    const known = await requireWebhook(deps, change, call);
    if (known.status === "Active") return known;
    const cursor = await change.get(webhookCursors, [known.id]);
    if (cursor !== null) change.put(webhookCursors, { ...cursor, ...startedOver(cursor) });
    change.emit({ type: "webhook.resumed", subject: known.id, about: aboutOwner(known.owner), data: {} });
    const running = { status: "Active", pausedAt: null, pausedBecause: null } as const;
    return change.put(webhooks, { ...known, ...running, ...stampOf(deps, call.cause) });
  });
  deps.wake(stored.id);
  return { value: await shown(deps, stored) };
}

async function listDeliveries(
  deps: Pick<Services, "records" | "pages" | "accountOf" | "sight">,
  call: Both<"deliveries.list">,
) {
  const { id } = await requireWebhook(deps, deps.records, call);
  const request = { ...call.query, bind: [actorName(call.actor), "deliveries", id] };
  const page = await deps.pages.page(
    (range) => deps.records.list(deliveries, { index: "latest", prefix: [id], reverse: true, ...range }),
    request,
  );
  return { value: { items: page.items.map(toDelivery), nextCursor: page.nextCursor } };
}

async function redeliver(
  deps: Pick<Services, "records" | "runtime" | "log" | "accountOf" | "sender" | "sight"> & {
    readonly wake: (webhookId: string) => void;
  },
  call: Both<"deliveries.redeliver">,
) {
  const { deliveryId } = call.params;
  return asked(deps, call, (change, webhook) => askAgain(deps, change, { webhook, deliveryId }));
}

/** Requests a delivery out of order. Its progress shows in the list of deliveries. */
async function asked(
  deps: Pick<Services, "records" | "accountOf" | "sender" | "sight"> & { readonly wake: (webhookId: string) => void },
  call: WebhookCall & { readonly cause: Cause },
  ask: (change: Change, webhook: WebhookRecord) => Stored<DeliveryRecord> | Promise<Stored<DeliveryRecord>>,
) {
  const { webhook, delivery } = await deps.records.change(call.cause, async (change) => {
    const webhook = await requireWebhook(deps, change, call);
    requireSender(deps);
    return { webhook, delivery: await ask(change, webhook) };
  });
  deps.wake(webhook.id);
  return { value: toDelivery(delivery), location: `${locationOf(webhook)}/deliveries` };
}

/** A webhook as the API shows it, with what is known of its deliveries. */
async function shown(
  { records, runtime, sight }: Pick<Services, "records" | "runtime" | "sight">,
  record: Stored<WebhookRecord>,
): Promise<Webhook> {
  const [latest, leavesOut] = await Promise.all([
    records.list(deliveries, { index: "latest", prefix: [record.id], reverse: true, limit: judgedBy }),
    sight.leavesOut(record),
  ]);
  const since = failingSince(latest.map(({ record: delivery }) => delivery));
  return toWebhook(record, { now: runtime.clock.now(), failingSince: since, leavesOut });
}

/** Deletes a webhook and its cursor. Its deliveries expire. */
export async function removeWebhook(change: Change, { id, owner }: WebhookRecord): Promise<void> {
  if ((await change.get(webhooks, [id])) === null) return;
  change.delete(webhooks, [id]);
  change.delete(webhookCursors, [id]);
  await countUse(change, webhooksOf(owner.type, owner.id), -1);
}

async function addressOf(sealer: Pick<Sealer, "open">, record: WebhookRecord): Promise<string> {
  return fromUtf8(await sealer.open(record.url, addressPlace(record)));
}

type Members = Pick<WebhookRecord, "name" | "format" | "types" | "liveSystemId" | "environmentId">;

/** The members of a webhook after a change: omitted members stay, null clears. */
function membersOf(input: WebhookInput | WebhookUpdate, before: Members): Members {
  return {
    name: input.name ?? before.name,
    format: input.format ?? before.format,
    types: input.types === undefined ? before.types : (input.types ?? []),
    liveSystemId: input.livesystemId === undefined ? before.liveSystemId : input.livesystemId,
    environmentId: input.environmentId === undefined ? before.environmentId : input.environmentId,
  };
}

async function sealedSecret(
  { runtime, sealer }: Pick<Services, "runtime" | "sealer">,
  id: string,
  secret: string,
): Promise<KeptWebhookSecret> {
  const secretId = runtime.newId();
  const sealed = await sealer.seal(utf8(secret), webhookSecretPlace({ id }, secretId));
  return { id: secretId, sealed, createdAt: nowText({ runtime }), endsAt: null };
}

function stampOf({ runtime }: Pick<Services, "runtime">, { actor }: Cause) {
  return { updatedAt: nowText({ runtime }), updatedBy: actor };
}

function emitChanged(
  change: Change,
  type: "webhook.created" | "webhook.updated" | "webhook.deleted",
  { id, owner }: Pick<WebhookRecord, "id" | "owner">,
  changed: readonly string[],
): void {
  change.emit({ type, subject: id, about: aboutOwner(owner), data: { changed } });
}

function locationOf({ id, owner }: WebhookRecord): string {
  return owner.type === "Account" ? `/accounts/me/webhooks/${id}` : `/organizations/${owner.id}/webhooks/${id}`;
}
