import { pointerTo, stepsOf } from "../../json-pointer.ts";
import { type BindingFacts, boundByOf, type ResourceType } from "../../ports/resource-type.ts";

/** What a type says of one place in its parameters, and of the places below. `*` stands for every name. */
export interface Shape {
  readonly children: ReadonlyMap<string, Shape>;
  readonly any: Shape | undefined;
  /** An array whose order means nothing. */
  readonly set: boolean;
  /** The member that tells the items of a list apart; `null`: the type doesn't say. */
  readonly key: string | null;
  /** Text compared without case and spaces. */
  readonly caseless: boolean;
  /** A number that the cloud writes as a text. */
  readonly wholeNumber: boolean;
  /** Text that names a range: `80` is `80-80`. */
  readonly range: boolean;
  /** What is absent there isn't empty: the vendor documents another default. */
  readonly keepsEmpty: boolean;
  /** What the cloud never gives back, as the type names it; `null`: it does. */
  readonly unread: string | null;
  /** It is secret whatever its name is. */
  readonly secret: boolean;
  /** It is compared, and never shown beside what the cloud has there. */
  readonly sensitive: boolean;
}

const shapes = new WeakMap<ResourceType, Shape>();

/** The facts of a type as a tree that is walked along with the parameters. Built once for each type. */
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
  for (const name of unreadOf(type)) nodeAt(root, pointerOf(name)).unread = name;
  for (const name of type.writeOnly) nodeAt(root, pointerOf(name)).secret = true;
  for (const pointer of type.sensitive ?? []) nodeAt(root, pointer).sensitive = true;
  shapes.set(type, root);
  return root;
}

/** What a cloud takes and never gives back, as the type names it. */
export function unreadOf({ writeOnly, inputOnly = [] }: ResourceType): readonly string[] {
  return [...writeOnly, ...inputOnly];
}

/** The shape one step further down. */
export function shapeBelow(shape: Shape | undefined, name: string): Shape | undefined {
  return shape === undefined ? undefined : (shape.children.get(name) ?? shape.any);
}

/** Where something lies that a type names: a top-level parameter by its name, what lies deeper by its pointer. */
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

/** Whether any parameter of what is there may be written. */
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
  unread: string | null;
  secret: boolean;
  sensitive: boolean;
}

function emptyNode(): Node {
  const says = {
    ...{ set: false, key: null, caseless: false, wholeNumber: false, range: false, keepsEmpty: false },
    ...{ unread: null, secret: false, sensitive: false },
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
