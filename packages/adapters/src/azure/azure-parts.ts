import { type CloudCall, isObject, type JsonObject, type ResourceRef, withValuesAt } from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { apiVersionOf, kindOf } from "./azure-kinds.ts";
import type { AzureRequests } from "./azure-requests.ts";

type Json = JsonObject[string];

/** What these calls answer as a map is declared as a list of these items; everything else is declared as a map. */
const itemsOf: Readonly<Record<string, (name: string, value: Json) => JsonObject>> = {
  appSettings: (name, value) => ({ name, value }),
  connectionStrings: (name, value) => ({
    name,
    ...(isObject(value) && { connectionString: value.value ?? null, type: value.type ?? null }),
  }),
};

/**
 * A resource's body with the parts that Azure shows only by separate calls, such as a site's settings: all of them, or those with changed
 * places. Empty parts, and those without such a call, stay absent.
 */
export async function withParts(
  { send }: Pick<AzureRequests, "send">,
  { type, resourceId }: ResourceRef,
  body: JsonObject,
  call: CloudCall,
  changes: readonly { readonly pointer: string }[] | null = null,
): Promise<JsonObject> {
  const parts = Object.entries(kindOf(type)?.apart ?? {}).filter(
    ([part]) => changes?.some(({ pointer }) => pointer.startsWith(`${part}/`)) ?? true,
  );
  const found = await Promise.all(
    parts.map(async ([pointer, at]) => {
      const request = {
        method: "POST",
        path: `${resourceId}/${at}`,
        version: apiVersionOf(type),
        changes: false,
      } as const;
      const answer = await send(request, call).catch(unlessMissing);
      return { pointer, value: answer === null ? null : declaredAs(pointer, answer.body.properties) };
    }),
  );
  return withValuesAt(
    body,
    found.filter(({ value }) => value !== null),
  );
}

function declaredAs(pointer: string, members: Json | undefined): Json {
  if (!isObject(members) || Object.keys(members).length === 0) return null;
  const item = itemsOf[pointer.slice(pointer.lastIndexOf("/") + 1)];
  return item === undefined ? members : Object.entries(members).map(([name, value]) => item(name, value));
}

function unlessMissing(error: unknown): null {
  if (isLiveplaneError(error, "NotFound")) return null;
  throw error;
}
