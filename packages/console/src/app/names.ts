import type { Api } from "@liveplane/client";
import { type Signal, signal } from "@preact/signals";
import { texts } from "../texts.ts";
import type { Live } from "./live.ts";

/** The names behind IDs, as far as whoever is signed in may see them. Reading one asks for it; the reader is drawn again when it comes. */
export interface Names {
  /** The name of an ID; `null`: it isn't known yet, or can't be seen. */
  of(id: string): string | null;
  /** A text with names instead of the IDs in it. IDs without a name are cut to their first digits. */
  in(text: string): string;
  /** A component as `<live system>/<path>`; its path alone while the live system has no name. */
  ofComponent(componentId: string): string;
}

type Found = Awaited<ReturnType<Api["names"]["find"]>>["items"][number];

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** The service looks up this many at once. */
const mostAtOnce = 100;
/** Readers are drawn one after the other: their IDs are gathered. */
const gatherMs = 20;

/** Builds what looks names up, many at once, and remembers them until an event may have changed one. */
export function createNames(api: Api, live: Live): Names {
  const known = new Map<string, Signal<string | null>>();
  let waiting: string[] = [];

  function ask(id: string): void {
    if (waiting.push(id) === 1) setTimeout(find, gatherMs);
  }

  function find(): void {
    const ids = waiting;
    waiting = [];
    for (let at = 0; at < ids.length; at += mostAtOnce) void findSome(ids.slice(at, at + mostAtOnce));
  }

  async function findSome(ids: readonly string[]): Promise<void> {
    // Without an answer the IDs stay as they are: they say what the page is about, too.
    const found = await api.names.find({ id: [...ids] }).catch(() => null);
    if (found === null) return;
    const labels = new Map(found.items.map((one) => [one.id, labelOf(one)]));
    for (const id of ids) {
      const place = known.get(id);
      if (place !== undefined) place.value = labels.get(id) ?? null;
    }
  }

  live.listen((event) => {
    if (event !== null && !/^(account|organization|permission|team|livesystem|subscription|webhook)\./.test(event.type))
      return;
    for (const id of known.keys()) ask(id);
  });

  const names: Names = {
    of(id) {
      const place = known.get(id) ?? signal(null);
      if (!known.has(id)) {
        known.set(id, place);
        ask(id);
      }
      return place.value;
    },
    in: (text) => text.replace(uuid, (id) => names.of(id) ?? `${id.slice(0, 8)}…`),
    ofComponent(componentId) {
      const [system = "", ...path] = componentId.split("/");
      const name = names.of(system);
      return [...(name === null ? [] : [name]), ...path].join("/");
    },
  };
  return names;
}

function labelOf({ id, kind, name }: Found): string {
  if (kind === "ServiceAccount") return texts.parts.serviceAccount(name, id);
  if (kind === "Subscription") return texts.parts.plan(name);
  if (kind === "Webhook") return texts.parts.webhook(name);
  return kind === "Team" ? texts.parts.team(name) : name;
}

/** One or two letters for a name or an e-mail address: `AL` for Ada Lovelace. */
export function initialsOf(name: string): string {
  const [local = ""] = name.split("@");
  const words = local.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const [first = "?", last = ""] = [words[0], words.length > 1 ? words.at(-1) : ""];
  return `${[...first][0]}${[...last][0] ?? ""}`.toUpperCase();
}
