import { stepsOf } from "../../json-pointer.ts";
import type { ResourceType } from "../../ports/resource-type.ts";

/** What a type says of one place in its parameters, and of the places below. `*` stands for every name. */
export interface Shape {
  readonly children: ReadonlyMap<string, Shape>;
  readonly any: Shape | undefined;
  /** An array whose order means nothing. */
  readonly set: boolean;
  /** Text compared without case and spaces. */
  readonly caseless: boolean;
}

const shapes = new WeakMap<ResourceType, Shape>();

/** The facts of a type as a tree that is walked along with the parameters. Built once for each type. */
export function shapeOf(type: ResourceType): Shape {
  const known = shapes.get(type);
  if (known !== undefined) return known;
  const root = emptyNode();
  for (const pointer of type.sets) nodeAt(root, pointer).set = true;
  for (const pointer of type.caseless) nodeAt(root, pointer).caseless = true;
  shapes.set(type, root);
  return root;
}

/** The shape one step further down. */
export function shapeBelow(shape: Shape | undefined, name: string): Shape | undefined {
  return shape === undefined ? undefined : (shape.children.get(name) ?? shape.any);
}

interface Node extends Shape {
  readonly children: Map<string, Node>;
  any: Node | undefined;
  set: boolean;
  caseless: boolean;
}

function emptyNode(): Node {
  return { children: new Map(), any: undefined, set: false, caseless: false };
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
