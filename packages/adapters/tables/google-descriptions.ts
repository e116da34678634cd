import ts from "typescript";
import { declarationsOf, declaredIn, membersDeclared, remarkOf } from "./declared-members.ts";
import type { DescriptionPackages } from "./description-packages.ts";

/** A method as Google's client declares it. */
export interface GoogleMethod {
  /** How the description nests its collection: `Projects.Locations.Services`. */
  readonly collection: string;
  readonly name: string;
  readonly verb: string;
  /** As the client has it, with `{name}` and `{+name}`. */
  readonly url: string;
  readonly query: readonly string[];
  readonly body: string | null;
  readonly answer: string | null;
  /** What is said of the method, and of what its path names. */
  readonly remark: string;
}

/** A version of a service, as its client declares it. */
export interface GoogleDescription {
  readonly methods: readonly GoogleMethod[];
  /** Interfaces of schemas by name. */
  readonly schemas: ReadonlyMap<string, ts.InterfaceDeclaration>;
}

const sent =
  /url: \(rootUrl \+\s*'([^']+)'\)[\s\S]*?method: '(\w+)'[\s\S]*?requiredParams: \[([^\]]*)\],\s*pathParams: \[([^\]]*)\]/;

/** Reads what a client says of a service: paths and verbs from its code, types from its declarations. */
export function googleDescription(packages: DescriptionPackages, service: string, version: string): GoogleDescription {
  const read = (ending: string) => packages.read("googleapis", `build/src/apis/${service}/${version}.${ending}`);
  const declared = new Map(declaredIn(declarationsOf(read("d.ts"))).map((node) => [node.name?.text ?? "", node]));
  const methods = [...classesOf(read("js"))].flatMap(([collection, own]) =>
    own.flatMap(({ name, text }) => described(collection, name, text, declared)),
  );
  const schemas = [...declared].flatMap(([name, node]) =>
    name.startsWith("Schema$") && ts.isInterfaceDeclaration(node)
      ? [[name.slice("Schema$".length), node] as const]
      : [],
  );
  return { methods, schemas: new Map(schemas) };
}

type Declared = ReadonlyMap<string, ts.InterfaceDeclaration | ts.ClassDeclaration>;

function described(collection: string, name: string, text: string, declared: Declared): GoogleMethod[] {
  const [, url, verb, required = "", inPath = ""] = sent.exec(text) ?? [];
  if (url === undefined || verb === undefined) return [];
  const nested = `Resource$${collection.replaceAll(".", "$")}`;
  const parameters = declared.get(`Params$${nested}$${name[0]?.toUpperCase()}${name.slice(1).toLowerCase()}`);
  const members = parameters !== undefined && ts.isInterfaceDeclaration(parameters) ? membersDeclared(parameters) : [];
  const path = new Set(namesIn(inPath));
  const must = new Set(namesIn(required));
  const body = members.find((member) => member.name === "requestBody")?.type?.getText() ?? null;
  const query = members.map((member) => member.name).filter((own) => own !== "requestBody" && !path.has(own));
  return [
    {
      collection,
      name,
      verb,
      url,
      query: query.map((own) => (must.has(own) ? `${own}!` : own)).sort(),
      body: body?.replace("Schema$", "") ?? null,
      answer: answerOf(declared.get(nested), name),
      remark: [
        ...members.filter((member) => path.has(member.name)).map((member) => member.remark),
        ...remarksOn(declared.get(nested), name),
      ].join(" "),
    },
  ];
}

function namesIn(list: string): string[] {
  return [...list.matchAll(/'([^']+)'/g)].map(([, name]) => name ?? "");
}

function answerOf(node: ts.Node | undefined, name: string): string | null {
  if (node === undefined || !ts.isClassDeclaration(node)) return null;
  const types = node.members
    .filter(ts.isMethodDeclaration)
    .filter((member) => member.name.getText() === name)
    .map((member) => /Promise<\w+<Schema\$(\w+)>>/.exec(member.type?.getText() ?? "")?.[1]);
  return types.find((type) => type !== undefined) ?? null;
}

function remarksOn(node: ts.Node | undefined, name: string): string[] {
  if (node === undefined || !ts.isClassDeclaration(node)) return [];
  return node.members
    .filter((member) => ts.isMethodDeclaration(member) && member.name.getText() === name)
    .map((member) => remarkOf(member));
}

/** The methods of each class, by how collections are nested. */
function classesOf(text: string): Map<string, { name: string; text: string }[]> {
  const classes = text.split(/^ {4}class (?=Resource\$)/gm).slice(1);
  return new Map(
    classes.map((own) => {
      const collection = /^Resource\$([\w$]+)/.exec(own)?.[1]?.replaceAll("$", ".") ?? "";
      const methods = own.split(/^ {8}(?=\w+\(paramsOrCallback)/gm).slice(1);
      return [collection, methods.map((method) => ({ name: /^\w+/.exec(method)?.[0] ?? "", text: method }))];
    }),
  );
}
