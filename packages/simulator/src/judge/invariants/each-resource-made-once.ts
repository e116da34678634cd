import type { Evidence } from "../evidence.ts";
import { componentName, placeKey } from "../names.ts";
import type { Rule } from "../steps.ts";

/** No resource is left that no component knows, and none is created again because it isn't visible yet. */
export function eachResourceMadeOnce(evidence: Evidence): Rule {
  /** The intents under which processes created the existing resources. */
  const made = new Map<string, string>();
  /** The resources that components know, or have given up. */
  const known = new Set<string>();
  /** The component that each intent is of. */
  const intents = new Map<string, string>();
  return {
    invariant: "each-resource-made-once",
    judges: {
      wrote: ({ component, change: { before, after } }) =>
        before === null && after !== null && evidence.unseen.has(component)
          ? `${componentName(component)} was made again, and is only not seen yet`
          : null,
      "component-stored": ({ id, before, after }) => {
        const other = after?.intent == null || after.intent === before?.intent ? id : intents.get(after.intent);
        return other === undefined || other === id ? null : `${id} is made by the intent of ${other}`;
      },
      rested: () => {
        const sought = new Set(evidence.components().map(({ intent }) => intent));
        const orphan = [...made].find(([key, intent]) => !known.has(key) && !sought.has(intent));
        return orphan === undefined ? null : `nobody knows of ${orphan[0]}`;
      },
    },
    observes: {
      changed: ({ process, provider, change: { resourceId, before, after } }) => {
        const key = placeKey(provider, resourceId);
        if (after === null) made.delete(key);
        else if (before === null && process !== null) made.set(key, after.intent ?? "");
      },
      landed: ({ provider, change: { resourceId, after } }) => {
        if (after === null) made.delete(placeKey(provider, resourceId));
      },
      moved: ({ ids }) => {
        for (const [intent, id] of intents) intents.set(intent, ids.get(id) ?? id);
      },
      "component-stored": ({ id, after, parted }) => {
        if (after?.intent != null) intents.set(after.intent, id);
        if (after?.resource.id != null) known.add(placeKey(after.provider, after.resource.id));
        if (parted !== null) known.add(parted.key);
      },
    },
  };
}
