import { isObject, type JsonObject, pointerTo } from "../../json-pointer.ts";
import type { ResourceType } from "../../ports/resource-type.ts";
import type { Json } from "../../ports/store.ts";
import { isReference } from "../declarations/references.ts";
import { type Shape, shapeBelow, shapeOf } from "../declarations/shape.ts";
import { isUnread } from "./likeness.ts";

/** A declared value that its cloud never returns. */
export interface Unobservable {
  readonly pointer: string;
  /** The place as the type names it: all items of a list share one. */
  readonly name: string;
  readonly value: Json;
}

/** The declared values that a cloud never returns, at every depth and in lists. `null` declares nothing. Pure. */
export function unobservableIn(parameters: JsonObject, type: ResourceType): readonly Unobservable[] {
  const found: Unobservable[] = [];
  const visit = (value: Json, pointer: string, shape: Shape | undefined): void => {
    if (value === null || shape === undefined) return;
    if (isUnread(shape)) found.push({ pointer, name: shape.unread, value });
    else if (Array.isArray(value))
      for (const [at, item] of value.entries()) visit(item, pointerTo(pointer, at), shape.any);
    else if (isObject(value) && !isReference(value))
      for (const [name, member] of Object.entries(value))
        visit(member, pointerTo(pointer, name), shapeBelow(shape, name));
  };
  visit(parameters, "", shapeOf(type));
  return found;
}
