import { isProtocolTag } from "../../contract/protocol-tags.ts";
import { isObject, type JsonObject, pointerTo } from "../../json-pointer.ts";
import type { Cloud } from "../../ports/cloud.ts";
import type { TagRules } from "../../ports/cloud-capabilities.ts";
import type { Json } from "../../ports/store.ts";
import type { DeclaredComponent } from "./definition.ts";
import { isReference } from "./references.ts";

/** An invalid declaration, and its place in the component. */
interface Mistake {
  readonly pointer: string;
  readonly detail: string;
}

/** The errors in a component's declared tags: by the protocol, and by the rules of its cloud. */
export function tagMistakes(
  { type, parameters }: Pick<DeclaredComponent, "type" | "parameters">,
  cloud: Pick<Cloud, "capabilities" | "resourceType"> | undefined,
): Mistake[] {
  const { tagParameter = "" } = cloud?.capabilities ?? {};
  const tags = parameters[tagParameter];
  if (cloud === undefined || tags === undefined || tags === null) return [];
  const at = pointerTo("/parameters", tagParameter);
  if (!isObject(tags) || isReference(tags)) return [{ pointer: at, detail: "Tags must be an object." }];
  const cannotCarry = !cloud.resourceType(type).taggable && Object.keys(tags).length > 0;
  const untaggable = cannotCarry ? [{ pointer: at, detail: "Resources of this type can't have tags." }] : [];
  const mistakes = Object.entries(tags).flatMap(([key, value]): Mistake[] => {
    const detail = mistakeIn(key, value, cloud.capabilities);
    return detail === null ? [] : [{ pointer: pointerTo(at, key), detail }];
  });
  return [
    ...untaggable,
    ...mistakes,
    ...repetitions(tags, at, cloud),
    ...tooMany(tags, at, cloud.capabilities.tagRules),
  ];
}

function mistakeIn(key: string, value: Json, capabilities: Cloud["capabilities"]): string | null {
  if (isProtocolTag(key, capabilities)) return "This tag belongs to the override protocol and cannot be declared.";
  if (value === null) return null;
  if (isReference(value)) return capabilities.tagRules?.refusal(key, "") ?? null;
  if (typeof value !== "string") return "A tag's value must be a string.";
  return capabilities.tagRules?.refusal(key, value) ?? null;
}

/** Keys that the cloud treats as equal: two values would be corrected to each other for ever. */
function repetitions(tags: JsonObject, at: string, { capabilities }: Pick<Cloud, "capabilities">): Mistake[] {
  if (!capabilities.caselessTagKeys) return [];
  const seen = new Set<string>();
  return Object.keys(tags).flatMap((key): Mistake[] => {
    const isNew = !seen.has(key.toLowerCase());
    seen.add(key.toLowerCase());
    return isNew
      ? []
      : [{ pointer: pointerTo(at, key), detail: "The key occurs twice. This cloud ignores case in tag keys." }];
  });
}

/** The management tag and the reconcile tag need room too. */
const ownTags = 2;

function tooMany(tags: JsonObject, at: string, rules: TagRules | undefined): Mistake[] {
  if (rules === undefined) return [];
  const most = rules.most - ownTags;
  const declared = Object.entries(tags).filter(([, value]) => value !== null);
  const extra = declared[most];
  if (extra === undefined) return [];
  return [
    {
      pointer: pointerTo(at, extra[0]),
      detail: `Resources of this type can have at most ${most} tags besides those of the override protocol.`,
    },
  ];
}
