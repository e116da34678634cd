import ts from "typescript";
import { isOnByDefault, membersDeclared } from "./declared-members.ts";
import { type Default, type MemberType, type MemberTypes, marks, ordered } from "./described-api.ts";
import type { GoogleDescription } from "./google-descriptions.ts";

/** Collects the schemas that a service's methods name, and which of their members are switched on by default. */
export function googleSchemas({ schemas: declared }: Pick<GoogleDescription, "schemas">, prefix: string) {
  const schemas: Record<string, MemberTypes> = {};
  const defaults = new Map<string, Default>();

  function reference(name: string): string {
    const key = `${prefix}.${name}`;
    const node = declared.get(name);
    if (schemas[key] === undefined && node !== undefined) {
      // Named before it is filled: schemas hold one another.
      schemas[key] = {};
      schemas[key] = membersOf(node);
      for (const { name: member, type, remark } of membersDeclared(node))
        if (typeOf(type) === "boolean" && isOnByDefault(remark)) defaults.set(`${key}.${member}`, true);
    }
    return node === undefined ? "any" : `#${key}`;
  }

  function membersOf(node: ts.InterfaceDeclaration | ts.TypeLiteralNode): MemberTypes {
    const members = membersDeclared(node).map(({ name, type, remark }): [string, MemberType] => {
      const own = typeOf(type);
      return [name, typeof own === "string" ? own + marksOf(remark) : own];
    });
    return ordered(Object.fromEntries(members));
  }

  function typeOf(node: ts.TypeNode | undefined): MemberType {
    if (node === undefined) return "any";
    if (ts.isUnionTypeNode(node)) return typeOf(node.types.find((one) => one.getText() !== "null"));
    if (ts.isArrayTypeNode(node)) return `[]${named(typeOf(node.elementType))}`;
    if (ts.isParenthesizedTypeNode(node)) return typeOf(node.type);
    if (ts.isTypeReferenceNode(node)) return reference(node.typeName.getText().replace("Schema$", ""));
    if (ts.isTypeLiteralNode(node)) {
      const index = node.members.find(ts.isIndexSignatureDeclaration);
      return index === undefined ? membersOf(node) : `{}${named(typeOf(index.type))}`;
    }
    const word = node.getText();
    return ["string", "number", "boolean"].includes(word) ? word : "any";
  }

  return { schemas, reference, defaults };
}

/** What a list or a map of written-out members holds isn't told. */
function named(type: MemberType): string {
  return typeof type === "string" ? type : "any";
}

function marksOf(remark: string): string {
  if (/^\s*((Optional\.\s*)?\[?\s*Output[- ]only\b|(A )?read-only (description|record)\b)/i.test(remark))
    return marks.readOnly;
  return [
    // What each of some needs isn't needed of all.
    /^\s*\[?Required\b(?! (for each|for log-based|if the \w+ exists)\b)/i.test(remark) && marks.required,
    /\bImmutable\.|\bcannot be changed (once|after)\b/i.test(remark) && marks.immutable,
    /\bInput[- ]only\b/i.test(remark) && marks.hidden,
  ]
    .filter((mark) => typeof mark === "string")
    .join("");
}
