import { toOpenApi } from "@liveplane/core/contract";
import { Ajv2020 as Ajv } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Holds answers to what the OpenAPI document promises, by a validator that knows nothing of how either was made. */
export interface OpenApiJudge {
  /** Fetches by way of another, and judges the answer. */
  over(fetch: typeof globalThis.fetch): typeof globalThis.fetch;
  /** Judges an answer that somebody else has fetched. */
  judge(answer: JudgedAnswer): void;
  /** Whether the document has an operation for it. */
  knows(method: string, path: string): boolean;
  seen(): number;
  objections(): string[];
}

/** An answer, and what it answers. */
export interface JudgedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly body: string;
}

type Node = Readonly<Record<string, unknown>>;

/** The OpenAPI document, and a validator that knows it as `document`. */
export function validatedDocument() {
  const document = JSON.parse(JSON.stringify(toOpenApi({ serverUrl: "/" }))) as Node;
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, "document");
  return { document, ajv };
}

/** Builds a judge over the document that the server answers. */
export function openApiJudge(): OpenApiJudge {
  const { document, ajv } = validatedDocument();
  const paths = Object.entries(document.paths as Record<string, Node>).map(([template, item]) => ({
    template,
    item,
    pattern: new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
  const objections = new Set<string>();
  let seen = 0;

  /** The path that an address means: of several the most concrete one, whatever its methods, as OpenAPI says. */
  function pathOf(path: string) {
    const matching = paths.filter(({ pattern }) => pattern.test(path));
    return matching.sort((a, b) => a.template.split("{").length - b.template.split("{").length)[0];
  }

  function judge({ method, path, status, header, body }: JudgedAnswer): void {
    const found = pathOf(path);
    const at = `${method} ${found?.template ?? path} ${status}`;
    if (found === undefined || !(method in found.item)) {
      if (status !== 404 && status !== 405) objections.add(`${at}: not in the document`);
      return;
    }
    const operation = found.item[method] as Node;
    const answers = operation.responses as Record<string, Node>;
    const pointer = (parts: readonly string[]) =>
      parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
    let where = ["paths", found.template, method, "responses", String(status)];
    let answer = answers[String(status)];
    if (answer === undefined) return void objections.add(`${at}: no such status`);
    if (typeof answer.$ref === "string") {
      where = answer.$ref.slice(2).split("/");
      answer = where.reduce<Node>((node, part) => node[part] as Node, document);
    }
    for (const name of Object.keys((answer.headers as Node | undefined) ?? {})) {
      const described = (answer.headers as Record<string, Node>)[name];
      if (described?.required === true && header(name) === null) objections.add(`${at}: lacks ${name}`);
    }
    // An upsert answers 200 whether it created something or not, and names only what it created.
    const isUpsert = status === 200 && header("location") === null;
    if (!isUpsert && "Location" in ((answer.headers as Node | undefined) ?? {}) !== (header("location") !== null))
      objections.add(`${at}: Location is ${header("location") === null ? "promised" : "sent"} alone`);
    const type = header("content-type")?.split(";")[0] ?? "";
    if (type === "text/event-stream") return;
    const content = answer.content as Record<string, Node> | undefined;
    if (content?.[type] === undefined) return void objections.add(`${at}: no such type as ${type}`);
    const reference = `document#/${pointer([...where, "content", type, "schema"])}`;
    const validate = ajv.getSchema(reference);
    if (validate === undefined) return void objections.add(`${at}: no schema`);
    if (!validate(JSON.parse(body))) objections.add(`${at}: ${ajv.errorsText(validate.errors)}`);
  }

  return {
    over: (fetch) => async (input, init) => {
      const request = new Request(input, init);
      const response = await fetch(request.clone());
      const { pathname } = new URL(request.url);
      seen += 1;
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      judge({
        method: request.method.toLowerCase(),
        path: pathname,
        status: response.status,
        header: (name) => response.headers.get(name),
        body: isStream ? "" : await response.clone().text(),
      });
      return response;
    },
    judge,
    knows: (method, path) => method in (pathOf(path)?.item ?? {}),
    seen: () => seen,
    objections: () => [...objections],
  };
}
