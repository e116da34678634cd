import type { DoubleChange } from "./double-resources.ts";
import type { Body } from "./double-shapes.ts";

/** Who edits by hand in the portal, and what the agent's client is to Azure. */
export const portalUser = "ann@contoso.example";
export const agentObject = "5a1f3a52-0000-4000-8000-000000000007";

const shape = /^eventTimestamp ge '([^']+)' and eventTimestamp le '([^']+)' and resourceUri eq '([^']+)'$/;

/** Azure's activity log: what was changed, when, and by whom. */
export function doubleActivity(now: () => number) {
  const events: { readonly at: number; readonly resource: string; readonly shown: Body }[] = [];
  const word = (value: string) => ({ value, localizedValue: value });
  return {
    note({ by, before, after }: DoubleChange) {
      const one = after ?? before;
      if (one === null || by === "azure") return;
      const isTags = before !== null && after !== null && before.body === after.body;
      const own = after === null ? `${one.kind.type}/delete` : `${one.kind.type}/write`;
      events.unshift({
        at: now(),
        resource: one.id.toLowerCase(),
        shown: {
          caller: by === "hand" ? portalUser : agentObject,
          claims: { appid: by === "hand" ? "portal" : "client" },
          eventTimestamp: new Date(now()).toISOString(),
          operationName: word(isTags ? "Microsoft.Resources/tags/write" : own),
          status: word("Succeeded"),
        },
      });
    },
    /** `null`: it can't read the filter. */
    answer(filter: string | null): Body | null {
      const [, since = "", until = "", resource = ""] = shape.exec(filter ?? "") ?? [];
      if (resource === "") return null;
      const isWithin = (at: number) => at >= Date.parse(since) && at <= Date.parse(until);
      const value = events.filter((one) => one.resource === resource.toLowerCase() && isWithin(one.at));
      return { value: value.map(({ shown }) => shown) };
    },
  };
}
