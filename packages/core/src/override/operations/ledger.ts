import type { Call, Handlers } from "../../contract/handler.ts";
import { invalid } from "../../contract/invalid.ts";
import { checkPreconditions } from "../../contract/preconditions.ts";
import { actorName } from "../../contract/target.ts";
import { nowText, toInstant } from "../../encoding.ts";
import { LiveplaneError } from "../../errors.ts";
import type { Change, Stored } from "../../records/records.ts";
import { isSameRecord } from "../../records/same-record.ts";
import type { Services } from "../../services.ts";

import type { Override } from "../protocol/lifecycle.ts";
import {
  aboutLiveSystem,
  type ComponentRecord,
  componentKey,
  components,
  idOf,
  pathOf,
} from "../records/component-record.ts";
import { type EpisodeRecord, episodes, toEpisode } from "../records/episode-record.ts";
import { requireWritable } from "../records/live-system-record.ts";
import { foundComponent, keyOf, shownComponent } from "./components.ts";
import { foundEver, type ShownBy } from "./live-systems.ts";

type LedgerHandlers = Pick<
  Handlers<"liveSystems.components">,
  "liveSystems.components.overrides" | "liveSystems.components.annotateOverride"
>;
type Note = Call<"liveSystems.components.annotateOverride">["body"];

/** Creates the handlers for the ledger of overrides: every episode, and the notes on the open one. */
export function createLedger(deps: Pick<Services, "records" | "pages" | "runtime"> & ShownBy): LedgerHandlers {
  const { records, pages, runtime } = deps;
  return {
    "liveSystems.components.overrides": async ({ actor, params, query }) => {
      const { id } = await foundEver(records, params.id);
      const path = pathOf(id, params.componentId);
      if (path === null) throw new LiveplaneError("NotFound");
      const key = componentKey(id, path);
      const request = {
        cursor: query.cursor,
        limit: query.limit,
        bind: [actorName(actor), "overrides", key.join("/")],
      };
      const page = await pages.page<EpisodeRecord>(
        (range) => records.list(episodes, { index: "started", prefix: key, reverse: true, ...range }),
        request,
      );
      const isNew = page.items.length === 0 && query.cursor === undefined;
      if (isNew && (await records.get(components, key)) === null) throw new LiveplaneError("NotFound");
      return { value: { items: page.items.map((record) => toEpisode(record)), nextCursor: page.nextCursor } };
    },

    "liveSystems.components.annotateOverride": async ({ params, body, cause, preconditions, actor }) => {
      await foundComponent(records, params);
      refusePast(body, runtime.clock.now());
      const stored = await records.change(cause, async (change) => {
        const { system, record } = await foundComponent(change, params);
        checkPreconditions(preconditions, record);
        await requireWritable(change, system);
        if (record.override === null) throw new LiveplaneError("InvalidState", "Nobody has taken the component over.");
        const override = noted(record.override, body, actorName(actor));
        if (isSameRecord(record, { ...record, override })) return record;
        await noteEpisode(change, override, keyOf(params));
        tellNoted(change, record, { episodeId: override.episodeId, body });
        return change.put(components, { ...record, override, updatedAt: nowText({ runtime }), updatedBy: cause.actor });
      });
      return { value: await shownComponent(deps, stored) };
    },
  };
}

function refusePast({ remindAt }: Note, now: number): void {
  if (typeof remindAt !== "string" || Date.parse(remindAt) > now) return;
  throw invalid([{ pointer: "#/remindAt", code: "TooSmall", detail: "The reminder must be in the future." }]);
}

/** Omitted keeps, `null` clears; the last writer becomes the author. */
function noted(override: Override, { reason, ticket, remindAt }: Note, claimedBy: string): Override {
  return {
    ...override,
    ...(reason !== undefined && { reason }),
    ...(ticket !== undefined && { ticket }),
    ...(remindAt !== undefined && { remindAt: remindAt === null ? null : toInstant(Date.parse(remindAt)) }),
    claimedBy,
  };
}

async function noteEpisode(change: Change, override: Override, key: readonly string[]): Promise<void> {
  const { episodeId, reason, ticket, claimedBy } = override;
  const episode = await change.get(episodes, [...key, episodeId]);
  if (episode !== null) change.put(episodes, { ...episode, reason, ticket, claimedBy });
}

function tellNoted(
  change: Change,
  record: Stored<ComponentRecord>,
  { episodeId, body }: { readonly episodeId: string; readonly body: Note },
): void {
  const { status } = record;
  const changed = (["reason", "ticket", "remindAt"] as const).filter((name) => body[name] !== undefined);
  const about = aboutLiveSystem(record);
  const data = { from: status, status, episodeId, changed };
  change.emit({ type: "component.override.noted", subject: idOf(record), about, data });
}
