import type { Component } from "@liveplane/core/contract";
import { type Command, exitCodes } from "../command.ts";
import { eventLine } from "../event-words.ts";
import { findLiveSystem } from "../find-component.ts";
import { namesFor } from "../names.ts";
import { tableOf } from "../tables.ts";
import { cloudWordsOf } from "./overrides.ts";

/** Lists what differs from its declaration. */
export const drift: Command = {
  takes: "[<live system>]",
  summary: `lists drift; exits with ${exitCodes.drift} if any isn't muted, for CI`,
  words: [0, 1],
  async run(call) {
    const { host, api, given } = call;
    const { signal } = host;
    const [word] = given.words;
    const systems =
      word === undefined ? api.liveSystems.list.all({ signal }) : [await findLiveSystem(api, word, signal)];
    const inNames = namesFor(call);
    const found: Component[] = [];
    const others: Component[] = [];
    for await (const { id } of systems)
      for await (const component of api.liveSystems.components.list.all({ id }, { signal })) {
        const { inSync } = component.conditions;
        if (component.outputFields.drift === undefined) {
          if (inSync.value !== true && !isMuted(component)) others.push(component);
          continue;
        }
        if (given.isSet("json")) host.print(JSON.stringify(component));
        found.push(component);
      }
    if (found.length === 0) host.say("No drift.");
    else if (!given.isSet("json")) {
      const names = await inNames(found.map(({ id }) => id));
      const named = found.map((component, at) => ({ ...component, name: names[at] }));
      const drifted = named.filter(({ health }) => health !== "Blocked");
      const blocked = named.filter(({ health }) => health === "Blocked");
      if (drifted.length > 0) host.print(tableOf(drifted.map(rowOfDrift), host.columns));
      for (const { name, conditions } of blocked) host.say(`${name} is only blocked: ${conditions.inSync.message}`);
    }
    const [first, ...more] = await inNames(others.slice(0, mostNamed).map(({ id }) => id));
    if (first) host.say(othersIn([first, ...more], others));
    return found.every(isMuted) ? exitCodes.done : exitCodes.drift;
  },
};

/** Whether only parameters differ that raise no alert. */
const isMuted = ({ conditions }: Component) => conditions.inSync.reason === "Muted";

/** At most this many components are named that differ for another reason than drift. */
const mostNamed = 10;

function othersIn(names: readonly (string | null)[], others: readonly Component[]): string {
  const named = names.map((name, at) => `${name} (${others[at]?.health})`).join(", ");
  const rest = others.length > names.length ? `, and ${others.length - names.length} more` : "";
  return `Not as declared for other reasons: ${named}${rest}. liveplane why ${names[0]} says more.`;
}

/** A failing write is told in the cloud's words. */
function rowOfDrift({ name, health, failing, conditions: { inSync } }: Component & { readonly name: unknown }) {
  const said = failing && (cloudWordsOf(failing) ?? failing.detail);
  return { component: name, status: health, why: failing?.code ?? inSync.reason, message: said ?? inSync.message };
}

/** Prints events as they happen. */
export const watch: Command = {
  takes: "[<live system>]",
  summary: "prints events as they happen, until Ctrl+C",
  words: [0, 1],
  async run(call) {
    const { host, api, given } = call;
    const { signal } = host;
    const inNames = namesFor(call);
    const [word] = given.words;
    const only = word === undefined ? {} : { livesystem: [(await findLiveSystem(api, word, signal)).id] };
    host.say("Waiting for events. Ctrl+C ends it.");
    for await (const event of api.events.follow({ ...only, signal })) {
      host.print(given.isSet("json") ? JSON.stringify(event) : await eventLine(event, inNames));
    }
    return exitCodes.done;
  },
};
