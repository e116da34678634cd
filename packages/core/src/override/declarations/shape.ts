import { pointerTo, stepsOf } from "../../json-pointer.ts";
import { type BindingFacts, boundByOf, type ResourceType } from "../../ports/resource-type.ts";

/** What a type says about one place in its parameters and the places below. `*` matches every name. */
export interface Shape {
  readonly children: ReadonlyMap<string, Shape>;
  readonly any: Shape | undefined;
  /** An array without a meaningful order. */
  readonly set: boolean;
  /** The member that identifies a list's items; `null` if the type doesn't say. */
  readonly key: string | null;
  /** Text compared without case and spaces. */
  readonly caseless: boolean;
  /** A number that the cloud shows as a string. */
  readonly wholeNumber: boolean;
  /** A string that names a range: `80` equals `80-80`. */
  readonly range: boolean;
  /** Absent isn't the same as empty, because the vendor documents another default. */
  readonly keepsEmpty: boolean;
  /** A list that the cloud fills itself where it is declared empty. */
  readonly filled: boolean;
  /** A value that the cloud never returns, as the type names it; `null` if it does. */
  readonly unread: string | null;
  /** Secret, whatever its name. */
  readonly secret: boolean;
  /** Compared, but never shown with the cloud's value. */
  readonly sensitive: boolean;
}

const shapes = new WeakMap<ResourceType, Shape>();

/** The facts of a type as a tree to walk along with the parameters. Built once per type. */
export function shapeOf(type: ResourceType): Shape {
  const known = shapes.get(type);
  if (known !== undefined) return known;
  const root = emptyNode();
  for (const pointer of type.sets) nodeAt(root, pointer).set = true;
  for (const [pointer, key] of Object.entries(type.keys ?? {})) nodeAt(root, pointer).key = key;
  for (const pointer of type.caseless) nodeAt(root, pointer).caseless = true;
  for (const pointer of type.wholeNumbers ?? []) nodeAt(root, pointer).wholeNumber = true;
  for (const pointer of type.ranges ?? []) nodeAt(root, pointer).range = true;
  for (const pointer of type.keepsEmpty ?? []) nodeAt(root, pointer).keepsEmpty = true;
  for (const pointer of type.filled ?? []) nodeAt(root, pointer).filled = true;
  for (const name of unreadOf(type)) nodeAt(root, pointerOf(name)).unread = name;
  for (const name of type.writeOnly) nodeAt(root, pointerOf(name)).secret = true;
  for (const pointer of type.sensitive ?? []) nodeAt(root, pointer).sensitive = true;
  shapes.set(type, root);
  return root;
}

/** The values that a cloud accepts and never returns, as the type names them. */
export function unreadOf({ writeOnly, inputOnly = [] }: ResourceType): readonly string[] {
  return [...writeOnly, ...inputOnly];
}

/** The shape one level down. */
export function shapeBelow(shape: Shape | undefined, name: string): Shape | undefined {
  return shape === undefined ? undefined : (shape.children.get(name) ?? shape.any);
}

/** The pointer of a place that a type names: a top-level parameter by name, a deeper one by pointer. */
export function pointerOf(name: string): string {
  return name.startsWith("/") ? name : pointerTo("", name);
}

/** What of a type can't change that stands at a pointer or around it, as the type names it; `null`: it can. */
export function fixedAt(
  { immutable, changeable }: Pick<ResourceType, "immutable" | "changeable">,
  pointer: string,
): string | null {
  const steps = stepsOf(pointer);
  const [top = ""] = steps;
  if (changeable?.includes(top) === false) return top;
  const holds = (name: string) =>
    stepsOf(pointerOf(name)).every((step, at) => step === steps[at] || (step === "*" && at < steps.length));
  return immutable.find(holds) ?? null;
}

/** Whether any parameter of an existing resource can be written. */
export function maySetParameters(
  { type }: { readonly type: string },
  { cloud, declared }: { readonly cloud: BindingFacts; readonly declared: { readonly unconditionalWrites: boolean } },
): boolean {
  return declared.unconditionalWrites || boundByOf(cloud, type).properties !== "none";
}

interface Node extends Shape {
  readonly children: Map<string, Node>;
  any: Node | undefined;
  set: boolean;
  key: string | null;
  caseless: boolean;
  wholeNumber: boolean;
  range: boolean;
  keepsEmpty: boolean;
  filled: boolean;
  unread: string | null;
  secret: boolean;
  sensitive: boolean;
}

function emptyNode(): Node {
  const says = {
    ...{ set: false, key: null, caseless: false, wholeNumber: false, range: false, keepsEmpty: false },
    ...{ filled: false, unread: null, secret: false, sensitive: false },
  };
  return { children: new Map(), any: undefined, ...says };
}

function nodeAt(root: Node, pointer: string): Node {
  let node = root;
  for (const step of stepsOf(pointer)) {
    const next = (step === "*" ? node.any : node.children.get(step)) ?? emptyNode();
    if (step === "*") node.any = next;
    else node.children.set(step, next);
    node = next;
  }
  return node;
}
