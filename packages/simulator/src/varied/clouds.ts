import type { Cloud, ResourceType, SimulatedCloudOptions } from "@liveplane/core/clouds";
import type { Json } from "@liveplane/core/store";
import { showingCloud } from "../odd-clouds.ts";
import { type NewPlaces, simulatedPlaces } from "../places.ts";
import type { VariedPlan } from "./plan.ts";
import { variedFacts, variedNames, variedValues } from "./values.ts";

/** The clouds of a varied world: their types announce much, and they store values in forms of their own. */
export function variedPlaces({ stored, omitsEmpty }: VariedPlan): NewPlaces {
  return (variations, runtime, slownessOf) => {
    const rewrites = (cloud: number) => storing(stored[cloud] as VariedPlan["stored"][number]);
    return simulatedPlaces(variations, runtime, slownessOf, { rewrites }).map((place) => {
      const known = new Map<string, ResourceType>();
      const sent = new Map<string, unknown>();
      const factsOf = (type: string, plain: (type: string) => ResourceType): ResourceType => {
        const own = plain(type);
        const facts = known.get(type) ?? {
          ...own,
          ...variedFacts,
          immutable: [...own.immutable, "fixed", "/deep/fixed"],
          omitsEmpty,
        };
        known.set(type, facts);
        return facts;
      };
      return {
        ...place,
        factsOf: (type) => factsOf(type, place.factsOf as (type: string) => ResourceType),
        sentWith: (resourceId, secrets) => textWith(secrets, sent.get(resourceId.toLowerCase())),
        open(user) {
          const opened = place.open(user);
          const resourceType: Cloud["resourceType"] = (type) => factsOf(type, opened.resourceType);
          const note = (resourceId: string, parameters: unknown) => void sent.set(resourceId.toLowerCase(), parameters);
          const told: Cloud = {
            ...opened,
            resourceType,
            update(ref, change, ...rest) {
              note(ref.resourceId, change.parameters);
              return opened.update(ref, change, ...rest);
            },
            async create(resource, call) {
              const created = await opened.create(resource, call);
              note(created.resourceId ?? "", resource.parameters);
              return created;
            },
          };
          return showingCloud(told, (resource) => ({
            ...resource,
            outputs: { ...resource.parameters, ...accessTo(resource.parameters), ...resource.outputs },
          }));
        },
      };
    });
  };
}

/** The shortest text in a value that contains any of these secrets. A cloud that repeats it repeats all of it. */
function textWith(secrets: ReadonlySet<string>, value: unknown): string | null {
  const texts: string[] = [];
  JSON.stringify(value, (name, member) => {
    texts.push(name, ...(typeof member === "string" ? [member] : []));
    return member as unknown;
  });
  const holding = texts.filter((text) => [...secrets].some((one) => text.includes(one)));
  return holding.sort((one, other) => one.length - other.length)[0] ?? null;
}

/** An output in which a parameter is, wherever that is secret or not. */
function accessTo({ code }: Readonly<Record<string, Json>>): Record<string, Json> {
  return typeof code === "string" ? { access: `key=${code};` } : {};
}

/** Stores each written parameter in the form that was drawn for it. What wasn't sent stays as it is. */
function storing(forms: VariedPlan["stored"][number]): NonNullable<SimulatedCloudOptions["rewrites"]> {
  return ({ before, parameters }) => {
    const made: Record<string, Json> = { ...parameters };
    for (const name of variedNames) {
      const { stored = [] } = variedValues[name];
      const form = stored[forms[name] % Math.max(1, stored.length)];
      const [sent, former] = [parameters[name], before?.[name]];
      if (form === undefined || sent === undefined || JSON.stringify(sent) === JSON.stringify(former)) continue;
      const shown = form(sent, former);
      if (shown === undefined) delete made[name];
      else made[name] = shown;
    }
    return made;
  };
}
