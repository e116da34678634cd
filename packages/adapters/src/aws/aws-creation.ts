import { type Cloud, type CloudCall, type JsonObject, type NewResource, withValuesAt } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import { tagsFrom } from "../cloud-http/cloud-resource.ts";
import { type AwsPlace, awsIdOf, placedAws, placeFor } from "./aws-ids.ts";
import { hexDigest, intentKey } from "./aws-intents.ts";
import { knownAwsKind, namePointer } from "./aws-kinds.ts";
import { type AwsProgress, isInProgress, progressIn, writtenBy } from "./aws-progress.ts";
import { writtenTags } from "./aws-tags.ts";
import { tagParameter } from "./aws-types.ts";
import type { AwsWriteDeps } from "./aws-writes.ts";

export interface AwsCreationDeps extends Pick<AwsWriteDeps, "requests" | "now"> {
  /** How long a creation waits before it asks again which identifier AWS has chosen. */
  readonly identifierPollMs: number;
}

const mostIdentifierPolls = 20;

/** How resources are created. */
export function awsCreation({ requests, now, identifierPollMs }: AwsCreationDeps): Pick<Cloud, "create"> {
  /** The answer to a creation, once AWS has chosen the identifier. */
  async function identified(answer: JsonObject, of: AwsPlace, call: CloudCall) {
    let progress = progressIn(answer, now());
    for (let polls = 0; progress.identifier === undefined && isInProgress(progress); polls++) {
      if (polls === mostIdentifierPolls) break;
      await new Promise((resolve) => setTimeout(resolve, identifierPollMs));
      const input = { RequestToken: progress.token };
      const options = { place: of, call };
      // The creation goes on, whatever this call says.
      const again = await requests
        .call("cloudcontrolapi", "GetResourceRequestStatus", input, options)
        .catch(() => null);
      if (again === null) break;
      progress = progressIn(again, now());
    }
    return progress;
  }

  return {
    async create(resource, call) {
      const { type, target, intent, resourceId } = resource;
      const placed = resourceId === null ? null : placedAws({ type, resourceId });
      const place = placed ?? placeFor(type, target);
      const name = namePointer(knownAwsKind(resource)) === null ? null : (placed?.identifier ?? resource.name);
      const DesiredState = JSON.stringify(desiredState(resource, name));
      const send = async (ClientToken: string) => {
        const input = { TypeName: type, DesiredState, ClientToken };
        const options = { place, call, changes: true };
        return identified(await requests.call("cloudcontrolapi", "CreateResource", input, options), place, call);
      };
      // The same token makes AWS answer a repeated request with the first one's progress, for 36 hours. One that failed is made again.
      const first = await send(hexDigest(`${intent}\n${type}\n${DesiredState}`));
      const progress = first.status === "FAILED" ? await send(crypto.randomUUID()) : first;
      return { resourceId: awsIdOf(place, type, chosenIn(progress, name)), ...writtenBy(progress) };
    },
  };
}

/** The properties of a new resource. If AWS chooses its identifier, a tag tells it apart. */
function desiredState({ type, intent, ...resource }: NewResource, name: string | null): JsonObject {
  const kind = knownAwsKind({ type });
  const { [tagParameter]: declared, ...parameters } = resource.parameters;
  const found = name === null ? { [intentKey(intent)]: type } : {};
  const tags = { ...tagsFrom(declared), ...resource.tags, ...found };
  const pointer = namePointer(kind);
  const named = pointer === null ? parameters : withValuesAt(parameters, [{ pointer, value: name }]);
  const isTagged = kind.tags !== undefined && Object.keys(tags).length > 0;
  return isTagged ? { ...named, [kind.tags.at]: writtenTags(kind.tags, tags) } : named;
}

/** The identifier of a new resource. Without one, the agent looks for the resource before it tries again. */
function chosenIn({ identifier, ...progress }: AwsProgress, known: string | null): string {
  const found = identifier ?? known;
  if (found !== null) return found;
  if (!isInProgress(progress)) writtenBy(progress);
  throw new LiveplaneError("ProviderTimeout", "AWS hasn't chosen an identifier yet.", {
    details: { outcome: "unknown" },
  });
}
