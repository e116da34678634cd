import type { Access } from "../account/access.ts";
import type { Handlers } from "../contract/handler.ts";
import type { ListedOverride } from "../contract/live-system-schemas.ts";
import { actorName } from "../contract/target.ts";
import type { Key } from "../ports/store.ts";
import type { Pages } from "../records/pages.ts";
import type { Listed, Records, Stored } from "../records/records.ts";
import { type ComponentRecord, components, idOf, shownOverride, toComponent } from "./component-record.ts";
import { plainName } from "./definition.ts";
import { type DigestEntry, type DigestRow, digestOf } from "./override-digest.ts";

/** What the fleet's lists need. */
export interface OverridesDeps {
  readonly records: Records;
  readonly pages: Pages;
  readonly access: Pick<Access, "can">;
  /** Whether somebody operates the installation: operators see every override. */
  readonly isOperator: (actorName: string) => boolean;
}

/** Builds the fleet's lists: every override in force, and what was changed in them. */
export function createOverrides({ records, pages, access, isOperator }: OverridesDeps): Handlers<"overrides"> {
  type Actor = Parameters<Access["can"]>[0];
  const maySee = async (actor: Actor, { liveSystemId }: ComponentRecord) =>
    (actor.kind === "account" && isOperator(actor.accountId)) ||
    access.can(actor, { kind: "liveSystem", id: liveSystemId }, "View");

  async function* visible(actor: Actor): AsyncGenerator<Stored<ComponentRecord>> {
    const known = new Map<string, boolean>();
    for (let after: Key | undefined, more = true; more; ) {
      const listed: Listed<ComponentRecord>[] = await records.list(components, {
        index: "overridden",
        limit: 500,
        ...(after && { after }),
      });
      for (const { record } of listed) {
        const sees = known.get(record.liveSystemId) ?? (await maySee(actor, record));
        known.set(record.liveSystemId, sees);
        if (sees) yield record;
      }
      after = listed.at(-1)?.position;
      more = listed.length === 500;
    }
  }

  return {
    "overrides.list": async ({ actor, query }) => {
      const source =
        query.environment === undefined
          ? ({ index: "overridden" } as const)
          : ({ index: "overriddenIn", prefix: [plainName(query.environment)] } as const);
      const bind = [actorName(actor), "overrides.list", query.environment ?? ""];
      const page = await pages.page<ComponentRecord>(
        (range) => records.list(components, { ...source, ...range }),
        { cursor: query.cursor, limit: query.limit, bind },
        (record) => maySee(actor, record),
      );
      return { value: { items: page.items.flatMap(listedOverride), nextCursor: page.nextCursor } };
    },

    "overrides.digest": async ({ actor, query }) => {
      const entries: DigestEntry[] = [];
      for await (const record of visible(actor)) entries.push(entryOf(record));
      const rows = digestOf(entries);
      const list = async ({
        after,
        limit,
      }: {
        readonly after?: Key;
        readonly limit: number;
      }): Promise<Listed<DigestRow>[]> => {
        const from = after === undefined ? 0 : Number(after[0]) + 1;
        return rows
          .slice(from, from + limit)
          .map((row, at) => ({ record: { ...row, version: "" }, position: [String(from + at)] }));
      };
      const page = await pages.page(list, {
        cursor: query.cursor,
        limit: query.limit,
        bind: [actorName(actor), "overrides.digest"],
      });
      const items = page.items.map(({ type, parameter, count, componentIds, oldestSince }) => {
        return { type, parameter, count, componentIds: [...componentIds], oldestSince };
      });
      return { value: { items, nextCursor: page.nextCursor } };
    },
  };
}

function entryOf(record: ComponentRecord): DigestEntry {
  const { type, override, observed, muteDrift } = record;
  const parameters = Object.keys(observed.drift).filter((name) => !muteDrift.includes(name));
  return { componentId: idOf(record), type, since: override?.since ?? "", parameters };
}

function listedOverride(record: Stored<ComponentRecord>): ListedOverride[] {
  const { override, environment: environmentId, observed } = record;
  if (override === null) return [];
  const driftCount = Object.keys(observed.drift).length;
  return [{ component: toComponent(record), override: shownOverride(override), environmentId, driftCount }];
}
