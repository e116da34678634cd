import type { MemberType, MemberTypes } from "./described-api.ts";

const mostDeep = 3;

/** JSON pointers to the members of a body that carry a mark, as deep as a declaration is usually told apart; lists aren't looked into. */
export function markedPointers(
  schemas: Readonly<Record<string, MemberTypes>>,
  reference: string | null,
  mark: string,
): string[] {
  const pointers: string[] = [];
  const visit = (type: MemberType, pointer: string, within: readonly string[]): void => {
    if (typeof type === "string" && pointer !== "" && marksIn(type).includes(mark)) {
      pointers.push(pointer);
      return;
    }
    const name = typeof type === "string" && type.startsWith("#") ? bare(type).slice(1) : null;
    const members = name === null ? type : schemas[name];
    if (typeof members !== "object" || within.length >= mostDeep || (name !== null && within.includes(name))) return;
    for (const [member, inner] of Object.entries(members))
      if (member !== "*") visit(inner, `${pointer}/${escaped(member)}`, [...within, name ?? pointer]);
  };
  if (reference !== null) visit(reference, "", []);
  return pointers.sort();
}

/** A type without the marks behind it. */
function bare(type: string): string {
  return type.replace(/[!\-=*]+$/, "");
}

function marksIn(type: string): string {
  return type.slice(bare(type).length);
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
