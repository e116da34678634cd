import { protocolTags } from "../../contract/protocol-tags.ts";
import { isObject, type JsonObject, pointerTo } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import type { Status } from "./lifecycle-row.ts";

/** The tags of a resource. */
export type Tags = Readonly<Record<string, string>>;

/** A tag with its value. */
export interface TagPair {
  readonly key: string;
  readonly value: string;
}

/** How a cloud compares tag keys. */
export interface TagKeys {
  readonly caselessTagKeys: boolean;
}

/**
 * Whether a component goes by the tag of another one: the one that it names, or an overridden one that it went by before. While it is
 * overridden itself, and until it is handed back, it goes by its own tags.
 */
export function goesByTagOwner(
  { status }: { readonly status: Status },
  {
    declared,
    tagOwner,
  }: { readonly declared: { readonly overrideWith: string | null }; readonly tagOwner: object | null },
): boolean {
  return status === "Active" && (declared.overrideWith !== null || tagOwner !== null);
}

/** A tag's value, its key compared as the cloud compares keys. */
export function tagValue(tags: Tags, key: string, { caselessTagKeys }: TagKeys): string | undefined {
  if (Object.hasOwn(tags, key)) return tags[key];
  if (!caselessTagKeys) return undefined;
  const plain = key.toLowerCase();
  for (const own in tags) if (own.toLowerCase() === plain) return tags[own];
  return undefined;
}

/** The resource's tags in the declaration's spelling. */
export function tagsAsDeclared(declared: Json | undefined, tags: Tags, keys: TagKeys): JsonObject {
  if (!isObject(declared)) return {};
  const found = Object.keys(declared).map((key) => [key, tagValue(tags, key, keys)] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** A resource's tags without the protocol's and the ignored ones. */
export function tagsShown(
  tags: Tags,
  {
    ignored,
    tagParameter,
    caselessTagKeys,
  }: { readonly ignored: readonly string[]; readonly tagParameter: string; readonly caselessTagKeys: boolean },
): JsonObject {
  const plain = (text: string) => (caselessTagKeys ? text.toLowerCase() : text);
  const hidden = new Set(ignored.map(plain));
  const isShown = (key: string) =>
    !protocolTags.has(key.toLowerCase()) && !hidden.has(plain(pointerTo(pointerTo("", tagParameter), key)));
  return Object.fromEntries(Object.entries(tags).filter(([key]) => isShown(key)));
}
