import { toOpenApi } from "@liveplane/core/contract";
import { Ajv2020 as Ajv } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Holds answers to what the OpenAPI document promises, by a validator that knows nothing of how either was made. */
export interface OpenApiJudge {
  /** Fetches, and judges the answer. */
  readonly fetch: typeof globalThis.fetch;
  seen(): number;
  objections(): string[];
}

type Node = Readonly<Record<string, unknown>>;

/** Builds a judge over the document that the server answers. */
export function openApiJudge(): OpenApiJudge {
  const document = JSON.parse(JSON.stringify(toOpenApi({ serverUrl: "/" }))) as Node;
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, "document");
  const paths = Object.entries(document.paths as Record<string, Node>).map(([template, item]) => ({
    template,
    item,
    pattern: new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
  const objections = new Set<string>();
  let seen = 0;

  function judge(method: string, path: string, response: Response, body: string): void {
    const known = paths.filter(({ pattern, item }) => pattern.test(path) && method in item);
    const found = known.sort((a, b) => a.template.split("{").length - b.template.split("{").length)[0];
    if (found === undefined) return void objections.add(`${method} ${path} is not in the document`);
    const at = `${method} ${found.template} ${response.status}`;
    const operation = found.item[method] as Node;
    const answers = operation.responses as Record<string, Node>;
    const pointer = (parts: readonly string[]) =>
      parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
    let where = ["paths", found.template, method, "responses", String(response.status)];
    let answer = answers[String(response.status)];
    if (answer === undefined) return void objections.add(`${at}: no such status`);
    if (typeof answer.$ref === "string") {
      where = answer.$ref.slice(2).split("/");
      answer = where.reduce<Node>((node, part) => node[part] as Node, document);
    }
    for (const name of Object.keys((answer.headers as Node | undefined) ?? {})) {
      const header = (answer.headers as Record<string, Node>)[name];
      if (header?.required === true && !response.headers.has(name)) objections.add(`${at}: lacks ${name}`);
    }
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    if (type === "text/event-stream") return;
    const content = answer.content as Record<string, Node> | undefined;
    if (content?.[type] === undefined) return void objections.add(`${at}: no such type as ${type}`);
    const reference = `document#/${pointer([...where, "content", type, "schema"])}`;
    const validate = ajv.getSchema(reference);
    if (validate === undefined) return void objections.add(`${at}: no schema`);
    if (!validate(JSON.parse(body))) objections.add(`${at}: ${ajv.errorsText(validate.errors)}`);
  }

  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      const response = await globalThis.fetch(request.clone());
      const { pathname } = new URL(request.url);
      seen += 1;
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      judge(request.method.toLowerCase(), pathname, response, isStream ? "" : await response.clone().text());
      return response;
    },
    seen: () => seen,
    objections: () => [...objections],
  };
}
