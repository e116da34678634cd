import {
  type CloudCall,
  type CloudTarget,
  isInGoogleTarget,
  isObject,
  type JsonObject,
  type ListedResource,
  type ListedResources,
} from "@liveplane/core/clouds";
import { isFinalRefusal } from "../cloud-http/cloud-http.ts";
import { kindOfAsset, nextToken, objectsIn, pathOfAsset } from "./google-assets.ts";
import { bindingsIn } from "./google-bindings.ts";
import { googleIdIn, isBindingName, nameOf } from "./google-ids.ts";
import { typeOf } from "./google-kinds.ts";
import type { SendToGoogle } from "./google-reads.ts";
import { encoded, mostOnAPage, query } from "./google-requests.ts";

/**
 * Lists the bindings of a project's IAM policies by Cloud Asset Inventory, one call for up to five hundred policies. Google grants the roles
 * of its own service agents itself, so these aren't listed.
 */
export async function bindingsFound(
  send: SendToGoogle,
  target: CloudTarget,
  { after, limit }: { readonly after: string | null; readonly limit: number },
  call: CloudCall,
): Promise<ListedResources> {
  const { scope } = target;
  const page = { pageSize: String(Math.min(limit, mostOnAPage)), pageToken: after, orderBy: "resource" };
  const path = `/v1/projects/${encoded(scope)}:searchAllIamPolicies${query(page)}`;
  const answer: JsonObject | null = await send("cloudasset", { method: "GET", path }, call).catch(unlessRefused);
  if (answer === null) return { items: [], next: null, warnings: [refused] };
  const policies = objectsIn(answer.results);
  const emails = policies.some(isNumbered) ? await emailsIn(send, scope, call) : new Map<string, string>();
  const found = policies.flatMap((one) => bindingsOf(one, scope, emails));
  const known = found.flatMap((one) => (one === null ? [] : [one]));
  const left = found.length - known.length;
  const warnings = left === 0 ? [] : [`${left} IAM bindings can't be named by an ID, so they are left out.`];
  return {
    items: known.filter(({ resourceId }) => isInGoogleTarget(resourceId, target)),
    next: nextToken(answer),
    warnings,
  };
}

const refused =
  "The bindings of IAM policies can't be listed. Grant cloudasset.assets.searchAllIamPolicies to include them.";

function unlessRefused(error: unknown): null {
  if (isFinalRefusal(error)) return null;
  throw error;
}

const numbered = /\/serviceAccounts\/(\d+)$/;

/** Policies of service accounts are found under their numbers. */
function isNumbered({ resource }: JsonObject): boolean {
  return numbered.test(String(resource));
}

const mostPages = 20;

/** The e-mail addresses of a project's service accounts, by their numbers. None if they can't be listed. */
async function emailsIn(send: SendToGoogle, scope: string, call: CloudCall): Promise<ReadonlyMap<string, string>> {
  const emails = new Map<string, string>();
  let pageToken: string | null = null;
  for (let pages = 0; pages < mostPages; pages++) {
    const path: string = `/v1/projects/${encoded(scope)}/serviceAccounts${query({ pageSize: "100", pageToken })}`;
    const page: JsonObject | null = await send("iam", { method: "GET", path }, call).catch(unlessRefused);
    for (const { uniqueId, email } of objectsIn(page?.accounts)) emails.set(String(uniqueId), String(email));
    pageToken = page && nextToken(page);
    if (pageToken === null) break;
  }
  return emails;
}

const serviceAgents = /serviceAgent$/i;

/** The bindings of one policy; `null` for each that can't be named. Policies of unknown kinds have none. */
function bindingsOf(
  { resource, assetType, policy }: JsonObject,
  scope: string,
  emails: ReadonlyMap<string, string>,
): (ListedResource | null)[] {
  const kind = kindOfAsset(assetType, "binding");
  if (kind === null || !isObject(policy)) return [];
  const name = String(resource);
  const number = numbered.exec(name)?.[1];
  const email = number === undefined ? null : (emails.get(number) ?? null);
  const holder = pathOfAsset(name, { scope, kind: kindOfAsset(assetType), email });
  return bindingsIn(policy)
    .filter(({ role }) => !serviceAgents.test(String(role)))
    .map((binding) => {
      const resourceId = googleIdIn(kind, `${holder}/iamBindings/${binding.name}`);
      const isNamed = resourceId !== null && isBindingName(nameOf(resourceId)) && !numbered.test(holder);
      if (!isNamed || !resourceId.startsWith(`projects/${scope}/`)) return null;
      const location = /\/(?:zones|regions|locations)\/([^/]+)\//.exec(resourceId)?.[1] ?? null;
      return { resourceId, type: typeOf(kind), name: nameOf(resourceId), location, tags: {} };
    });
}
