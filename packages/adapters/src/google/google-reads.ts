import type { Cloud, CloudCall, JsonObject, OperationReading } from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { readable } from "../cloud-http/cloud-resource.ts";
import { bindingIn, bindingsIn } from "./google-bindings.ts";
import { type BulkReads, bulkReads } from "./google-bulk.ts";
import { nameOf, type PlacedResource, placed } from "./google-ids.ts";
import { operationReading, resultOf, watchedAt } from "./google-operations.ts";
import { googleReading } from "./google-reading.ts";
import { type GoogleRequest, listRequest, readRequest } from "./google-requests.ts";

/** Sends a request to a service, with the caller's token. */
export type SendToGoogle = (service: string, request: GoogleRequest, call: CloudCall) => Promise<JsonObject>;

export interface GoogleReadDeps {
  readonly send: SendToGoogle;
  readonly now: () => number;
  readonly listingMs: number;
}

/** The current resource; throws `NotFound` if there is none. */
export async function current(send: SendToGoogle, of: PlacedResource, call: CloudCall): Promise<JsonObject> {
  const { kind, resourceId } = of;
  if (kind.policy !== undefined) {
    const binding = bindingIn(await policyOf(send, of, call), of);
    if (binding === null) throw new LiveplaneError("NotFound", "The policy doesn't have this binding.");
    return binding;
  }
  const body = await send(kind.service, readRequest(of), call).catch((error) => absent(error, { send, of, call }));
  if (kind.name !== "storage.bucket") return body;
  // Lists are sorted: an exact name comes before longer names that start with it.
  const items = Array.isArray(body.items) ? (body.items as JsonObject[]) : [];
  const found = items.find(({ name }) => name === nameOf(resourceId));
  if (found === undefined) throw new LiveplaneError("NotFound", "The project has no such bucket.");
  return found;
}

/** The whole IAM policy that a binding is in. Paths of buckets contain no project, so their own is checked first. */
export async function policyOf(send: SendToGoogle, of: PlacedResource, call: CloudCall): Promise<JsonObject> {
  const bucket = of.kind.service === "storage" ? of.resourceId.replace(/\/iamBindings\/[^/]+$/, "") : null;
  if (bucket !== null) await current(send, placed({ type: "storage.v1.bucket", resourceId: bucket }), call);
  return send(of.kind.service, readRequest(of), call).catch((error) => absent(error, { send, of, call }));
}

/**
 * The meaning of a 404. It is about the resource if Google names it; if the message is about something else or unspecific, the resource
 * counts as missing only if its collection can be read.
 */
async function absent(
  error: unknown,
  { send, of, call }: { readonly send: SendToGoogle; readonly of: PlacedResource; readonly call: CloudCall },
): Promise<never> {
  if (!isLiveplaneError(error, "NotFound")) throw error;
  if (of.kind.name !== "storage.bucket" && namesIt(String(error.details.providerMessage ?? ""), of)) throw error;
  const request = of.kind.name === "storage.bucket" ? null : listRequest(of, null);
  const seen = request !== null && (await send(of.kind.service, request, call).then(yes, (thrown) => no(thrown)));
  if (seen) throw error;
  throw new LiveplaneError("ProviderError", "The resource's parent doesn't exist or isn't visible.", {
    retryable: true,
    details: { ...error.details, reason: "NotSeen" },
  });
}

const yes = () => true;

function no(error: unknown): false {
  if (isLiveplaneError(error, "NotFound")) return false;
  throw error;
}

/** Whether a message is about this resource: its name, after its collection or in quotes. */
function namesIt(message: string, { kind, resourceId }: PlacedResource): boolean {
  const name = nameOf(resourceId);
  const quoted = [`'${name}'`, `"${name}"`, `[${name}]`, `:${name}`];
  return [`/${kind.collection}/${name}`, ...quoted].some((text) => message.includes(text));
}

/** Reads resources and operations. */
export function googleReads({
  send,
  now,
  listingMs,
}: GoogleReadDeps): Pick<Cloud, "read" | "readMany"> & Required<Pick<Cloud, "follow">> & Pick<BulkReads, "forget"> {
  const read: Cloud["read"] = (ref, call) =>
    readable(async () => {
      const of = placed(ref);
      return googleReading(await current(send, of, call), of);
    });
  const page = async (of: PlacedResource, pageToken: string | null, call: CloudCall) => {
    const request = listRequest(of, pageToken);
    if (of.kind.policy !== undefined) return { bindings: bindingsIn(await policyOf(send, of, call)) };
    return request === null ? null : send(of.kind.service, request, call);
  };
  return {
    read,
    ...bulkReads({ read, page, readable, now, listingMs }),
    async follow(ref, { address }, call) {
      const reading = await readable<OperationReading>(async () => {
        const { service, path } = watchedAt(address, ref.resourceId);
        const body = await send(service, { method: "GET", path }, call);
        const how = operationReading(body, now());
        return how.state === "done" && ref.resourceId !== "" ? { ...how, ...resultOf(body, placed(ref)) } : how;
      });
      return reading.state === "missing" ? { state: "gone" } : reading;
    },
  };
}
