import ts from "typescript";

/** An interface's members, as they are declared. */
export interface DeclaredMember {
  readonly name: string;
  readonly type: ts.TypeNode | undefined;
  readonly isOptional: boolean;
  /** What its comment says. */
  readonly remark: string;
}

/** Reads a file of declarations. */
export function declarationsOf(text: string): ts.SourceFile {
  return ts.createSourceFile("declarations.d.ts", text, ts.ScriptTarget.ESNext, true);
}

/** Every interface and class of a file, those in namespaces too. */
export function declaredIn(source: ts.SourceFile): (ts.InterfaceDeclaration | ts.ClassDeclaration)[] {
  const found: (ts.InterfaceDeclaration | ts.ClassDeclaration)[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) found.push(node);
    else if (ts.isModuleDeclaration(node) || ts.isModuleBlock(node)) ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return found;
}

/** The members of an interface, or of a type that is written out. */
export function membersDeclared(node: ts.InterfaceDeclaration | ts.TypeLiteralNode): DeclaredMember[] {
  return node.members.filter(ts.isPropertySignature).map((member) => ({
    name: ts.isIdentifier(member.name) || ts.isStringLiteral(member.name) ? member.name.text : member.name.getText(),
    type: member.type,
    isOptional: member.questionToken !== undefined,
    remark: remarkOf(member),
  }));
}

/** What is said of each member, by `Interface.member`. */
export function remarksOn(text: string): ReadonlyMap<string, string> {
  const interfaces = declaredIn(declarationsOf(text)).filter(ts.isInterfaceDeclaration);
  return new Map(
    interfaces.flatMap((node) =>
      membersDeclared(node).map(({ name, remark }) => [`${node.name.text}.${name}`, remark] as const),
    ),
  );
}

/** The members that hold one of a few words, as `Interface.member`: their type is such words, or a name that known values are told of. */
export function wordsAmong(text: string): ReadonlySet<string> {
  const source = declarationsOf(text);
  const told = new Set(
    source.statements.flatMap((node) => {
      if (ts.isEnumDeclaration(node)) return [node.name.text.replace(/^Known/, "")];
      return ts.isTypeAliasDeclaration(node) && isWords(node.type) ? [node.name.text] : [];
    }),
  );
  const interfaces = declaredIn(source).filter(ts.isInterfaceDeclaration);
  return new Set(
    interfaces.flatMap((node) =>
      membersDeclared(node)
        .filter(({ type }) => type !== undefined && (isWords(type) || told.has(type.getText())))
        .map(({ name }) => `${node.name.text}.${name}`),
    ),
  );
}

/** Texts, written out. */
function isWords(type: ts.TypeNode): boolean {
  return (ts.isUnionTypeNode(type) ? type.types : [type]).every(
    (one) => ts.isLiteralTypeNode(one) && ts.isStringLiteral(one.literal),
  );
}

const on =
  /\b(true by default|(enabled|on) by default|by default,? (this is |it is )?(set to )?true\b|defaults? (value )?(is |to |of |: ?)?(set to )?[`'"]?true\b|default behavior is to set it to true|equivalent to true)/i;

/** Whether what is said of a switch is that it is on by default. */
export function isOnByDefault(remark: string): boolean {
  return on.test(remark);
}

/** What the comment of a declaration says. */
export function remarkOf(node: ts.Node): string {
  return ts
    .getJSDocCommentsAndTags(node)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "")
    .join(" ");
}
