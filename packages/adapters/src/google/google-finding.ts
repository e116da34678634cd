import type { Cloud, CloudCall, CloudTarget, JsonObject } from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { nextToken } from "./google-assets.ts";
import { labelsIn } from "./google-bodies.ts";
import { collectionsOf, idIn, isNameChosen, type PlacedResource } from "./google-ids.ts";
import { intentDigest, intentLabel } from "./google-intents.ts";
import { knownKinds, typeOf } from "./google-kinds.ts";
import type { SendToGoogle } from "./google-reads.ts";
import { listRequest } from "./google-requests.ts";

/** Finds a resource by the label of its creation, in the collections whose names Google chooses. All others are found by ID. */
export function googleFinding(send: SendToGoogle): Pick<Cloud, "findCreated"> {
  async function listed(of: PlacedResource, pageToken: string | null, call: CloudCall): Promise<JsonObject> {
    const request = listRequest(of, pageToken);
    if (request === null) return {};
    return send(of.kind.service, request, call).catch(unlessDisabled);
  }

  async function madeIn(of: PlacedResource, intent: string, call: CloudCall): Promise<string | null> {
    const wanted = intentDigest(intent);
    let pageToken: string | null = null;
    do {
      const page: JsonObject = await listed(of, pageToken, call);
      const items = page[of.kind.list?.items ?? ""];
      const all = Array.isArray(items) ? (items as JsonObject[]) : [];
      const found = all.find((item) => labelsIn(item, of.kind.labelsAt)[intentLabel] === wanted);
      if (found !== undefined) return idIn(of, String(found.name));
      pageToken = nextToken(page);
    } while (pageToken !== null);
    return null;
  }

  return {
    async findCreated(intent, target: CloudTarget, call) {
      const chosen = knownKinds.filter(isNameChosen);
      for (const of of chosen.flatMap((kind) => collectionsOf(kind, target.scope, [target.region]))) {
        const resourceId = await madeIn(of, intent, call);
        if (resourceId !== null) return { type: typeOf(of.kind), resourceId };
      }
      return null;
    },
  };
}

/** In a disabled service nothing was made. */
function unlessDisabled(error: unknown): JsonObject {
  if (isLiveplaneError(error) && error.details.reason === "ServiceDisabled") return {};
  throw error;
}
