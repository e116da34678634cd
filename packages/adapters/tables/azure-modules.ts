import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type DescriptionPackages, temporaryFolder } from "./description-packages.ts";

/** A serializer's description of a value, as the packages of Microsoft hold it. */
export interface Mapper {
  readonly serializedName?: string;
  readonly required?: boolean;
  readonly readOnly?: boolean;
  readonly isConstant?: boolean;
  readonly defaultValue?: unknown;
  readonly constraints?: { readonly Pattern?: RegExp; readonly MinLength?: number; readonly MaxLength?: number };
  readonly type: {
    readonly name: string;
    readonly className?: string;
    readonly uberParent?: string;
    readonly modelProperties?: Readonly<Record<string, Mapper>>;
    readonly additionalProperties?: Mapper;
    readonly element?: Mapper;
    readonly value?: Mapper;
  };
}

interface Parameter {
  /** Where a caller gives it: what stands in the options may be left out. */
  readonly parameterPath?: string | readonly string[] | object;
  readonly mapper: Mapper;
}

/** An operation as the packages of Microsoft hold it. */
export interface OperationSpec {
  readonly path: string;
  readonly httpMethod: string;
  readonly responses: Readonly<Record<string, { readonly bodyMapper?: Mapper }>>;
  readonly requestBody?: Parameter;
  readonly urlParameters?: readonly Parameter[];
  readonly queryParameters?: readonly Parameter[];
  readonly headerParameters?: readonly Parameter[];
}

/** A package of Microsoft's, read as data: none of its code that sends anything is run. */
export interface AzureModule {
  readonly mappers: Readonly<Record<string, Mapper>>;
  /** By group and name. */
  readonly specs: ReadonlyMap<string, OperationSpec>;
  /** Names of operations that are begun, and then waited for. */
  readonly begun: ReadonlySet<string>;
  /** The declarations of the models, with what is said of each member. */
  readonly models: string;
}

const layouts = [
  { code: "dist/esm", types: "dist/esm/models/index.d.ts" },
  { code: "dist-esm/src", types: "types" },
  { code: "esm", types: "esm/models/index.d.ts" },
];

/** What the generated modules import of the client's runtime, as far as data needs it. */
const stubs = `const empty = { type: { name: "Composite", modelProperties: {} } };
const CloudErrorMapper = empty, BaseResourceMapper = empty;
const __assign = Object.assign;
const msRest = { QueryCollectionFormat: {} }, coreClient = msRest;\n`;

/** Loads the serializers and operations of a package from copies that hold nothing else. */
export async function azureModule(packages: DescriptionPackages, name: string): Promise<AzureModule> {
  const root = packages.folderOf(name);
  const layout = layouts.find(({ code }) => existsSync(join(root, code, "models/mappers.js")));
  if (layout === undefined) throw new RangeError(`${name} keeps no serializers as data.`);
  const copy = temporaryFolder("liveplane-modules-");
  const write = (file: string, text: string) => writeFileSync(join(copy, file), text);
  write("package.json", '{ "type": "module" }');
  const read = (file: string) => packages.read(name, `${layout.code}/${file}`);
  const withoutImports = (text: string) => text.replace(/^import [^;]*? from "[^"]+";$/gms, "");
  write("mappers.js", stubs + withoutImports(read("models/mappers.js")));
  write("parameters.js", `import * as Mappers from "./mappers.js";\n${parameterImports(read("models/parameters.js"))}`);
  const specs = new Map<string, OperationSpec>();
  const begun = new Set<string>();
  for (const file of operationFiles(join(root, layout.code))) {
    const text = read(file);
    const group = basename(file, ".js");
    write(`${group}.js`, specsAlone(text));
    const found = (await import(pathToFileURL(join(copy, `${group}.js`)).href)) as Record<string, OperationSpec>;
    for (const [spec, value] of Object.entries(found))
      specs.set(`${group}.${spec.replace(/OperationSpec$/, "")}`, value);
    for (const spec of waitedFor(text)) begun.add(`${group}.${spec}`);
  }
  const exported = (await import(pathToFileURL(join(copy, "mappers.js")).href)) as Record<string, Mapper>;
  // Beside the mappers stands a list of what tells derived ones apart.
  const mappers = Object.fromEntries(Object.entries(exported).filter(([own]) => own !== "discriminators"));
  const types = layout.types === "types" ? typesOf(root) : layout.types;
  return { mappers, specs, begun, models: packages.read(name, types) };
}

/** Operations lie by group, and a few on the client itself. */
function operationFiles(root: string): string[] {
  const client = readdirSync(root).filter((file) => /Client\.js$/.test(file));
  const groups = readdirSync(join(root, "operations")).filter((file) => /(?<!^index)\.js$/.test(file));
  return [...client, ...groups.map((file) => `operations/${file}`)].sort();
}

function parameterImports(text: string): string {
  const aliases = [...text.matchAll(/(\w+) as (\w+)/g)].filter(([, own]) => own !== "*");
  const names = aliases.map(([, own, alias]) => `const ${alias} = Mappers.${own};`).join("\n");
  return `${stubs}${names}\n${text.replace(/^import [^;]*? from "[^"]+";$/gms, "")}`;
}

function specsAlone(text: string): string {
  const specs = [...text.matchAll(/^(?:const|var) (\w+OperationSpec) = \{$.*?^\};$/gms)].map(
    ([spec]) => `export ${spec}`,
  );
  return [
    'import * as Mappers from "./mappers.js";',
    'import * as Parameters from "./parameters.js";',
    stubs,
    "const serializer = null, xmlSerializer = null, Serializer = null;",
    ...specs,
  ].join("\n");
}

/** Those that a method named `begin…` sends. */
function waitedFor(text: string): string[] {
  const methods = text.split(/^ {4}(?=(?:async |\*|static )?[\w$.]+(?:\(| = function ?\())/gm);
  return methods
    .filter((method) => /^(?:async |\w+\.prototype\.)?begin\w*/.test(method))
    .flatMap((method) => [...method.matchAll(/(\w+)OperationSpec/g)].map(([, spec]) => spec ?? ""));
}

function typesOf(root: string): string {
  const file = readdirSync(join(root, "types")).find((entry) => entry.endsWith(".d.ts"));
  return `types/${file}`;
}
