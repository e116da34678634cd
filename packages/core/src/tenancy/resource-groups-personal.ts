import type { Call, Handlers } from "../contract/handler.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import { type Actor, type GroupRef, groupPath } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { accountOf } from "../permissions/actors.ts";
import type { Reader, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { cursorOwner } from "./organizations.ts";
import { type GroupRecord, groupKey, resourceGroups, toPersonalGroup } from "./resource-group-record.ts";
import { remove, write } from "./resource-groups.ts";

type Operation = "list" | "upsert" | "get" | "delete" | "upsertByShortName" | "getByShortName";
type PersonalHandlers = Pick<Handlers<"accounts">, `accounts.resourceGroups.${Operation}`>;
type Upsert = Call<"accounts.resourceGroups.upsert" | "accounts.resourceGroups.upsertByShortName">;
type Get = Call<"accounts.resourceGroups.get" | "accounts.resourceGroups.getByShortName">;

/** Creates the handlers for the caller's own resource groups. The deprecated pair does the same under older paths. */
export function createPersonalResourceGroups(
  deps: Pick<Services, "records" | "pages" | "principals" | "changes" | "liveSystemsOf">,
): PersonalHandlers {
  const { records, pages, changes, liveSystemsOf } = deps;

  async function shown(record: Stored<GroupRecord>) {
    return toPersonalGroup(record, await liveSystemsOf(groupPath(record)));
  }

  async function ownId(reader: Reader, actor: Actor, shortName: string): Promise<GroupRef> {
    const ownerId = await accountOf(actor, reader, deps.principals);
    if (ownerId === null)
      throw new LiveplaneError("PermissionDenied", "Only accounts can have personal resource groups.");
    return { type: "Personal", ownerId, shortName };
  }

  async function upsert({ params, body, preconditions, actor, cause }: Upsert) {
    const { record, made } = await records.change(cause, async (change) => {
      const id = await ownId(change, actor, params.shortName);
      const known = await change.get(resourceGroups, groupKey(id));
      const made = known?.status !== "Active";
      checkPreconditions(preconditions, made ? null : known, { creates: true });
      return { record: write(change, id, known, body, { updatedAt: changes.now(), updatedBy: cause.actor }), made };
    });
    return { value: await shown(record), made, location: `/accounts/me/resourcegroups/${record.shortName}` };
  }

  async function get({ params, actor }: Get) {
    const record = await records.get(resourceGroups, groupKey(await ownId(records, actor, params.shortName)));
    if (record?.status !== "Active") throw new LiveplaneError("NotFound");
    return { value: await shown(record) };
  }

  return {
    "accounts.resourceGroups.upsert": (call) => upsert(call),
    "accounts.resourceGroups.upsertByShortName": (call) => upsert(call),
    "accounts.resourceGroups.get": (call) => get(call),
    "accounts.resourceGroups.getByShortName": (call) => get(call),

    "accounts.resourceGroups.list": async ({ actor, query }) => {
      const { type, ownerId } = await ownId(records, actor, "");
      const page = await pages.page(
        ({ after, limit }) => records.list(resourceGroups, { prefix: [type, ownerId], limit, ...(after && { after }) }),
        { ...query, bind: [cursorOwner(actor), "own-resourcegroups"] },
        ({ status }) => status === "Active",
      );
      return { value: { items: await Promise.all(page.items.map(shown)), nextCursor: page.nextCursor } };
    },

    "accounts.resourceGroups.delete": async ({ params, preconditions, actor, cause }) => {
      const deleted = await records.change(cause, async (change) => {
        const known = await change.get(resourceGroups, groupKey(await ownId(change, actor, params.shortName)));
        if (known?.status !== "Active") throw new LiveplaneError("NotFound");
        checkPreconditions(preconditions, known);
        return remove(change, known, { updatedAt: changes.now(), updatedBy: cause.actor });
      });
      return { value: await shown(deleted) };
    },
  };
}
