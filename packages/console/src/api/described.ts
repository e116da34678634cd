/** The parts of a JSON Schema that the page shows. */
export interface DescribedSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | DescribedSchema;
  readonly items?: DescribedSchema;
  readonly anyOf?: readonly DescribedSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly writeOnly?: boolean;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: DescribedSchema;
}

/** The body in one media type. */
export interface DescribedMedia {
  readonly schema: DescribedSchema;
  readonly example?: unknown;
}

type ByMediaType = Readonly<Record<string, DescribedMedia>>;

/** The answer with a status; `name` is set for an error that operations share. */
export interface DescribedAnswer {
  readonly status: string;
  readonly name?: string;
  readonly description: string;
  readonly content?: ByMediaType;
  readonly "x-codes"?: readonly string[];
}

/** An operation with its references resolved. */
export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly DescribedParameter[];
  readonly requestBody?: { readonly description: string; readonly required: boolean; readonly content: ByMediaType };
  readonly answers: readonly DescribedAnswer[];
}

/** An OpenAPI document in the page's form. */
export interface DescribedApi {
  readonly areas: readonly { readonly name: string; readonly description: string }[];
  readonly operations: readonly DescribedOperation[];
  readonly schemas: Readonly<Record<string, DescribedSchema>>;
}

interface Referring {
  readonly $ref?: string;
}

/** The document's own structure, more specific than its declared type. */
interface Written {
  readonly tags: DescribedApi["areas"];
  readonly paths: Readonly<Record<string, Readonly<Record<string, WrittenOperation>>>>;
  readonly components: {
    readonly schemas: DescribedApi["schemas"];
    readonly parameters: Readonly<Record<string, DescribedParameter>>;
    readonly responses: Readonly<Record<string, DescribedAnswer>>;
  };
}

interface WrittenOperation extends Omit<DescribedOperation, "method" | "path" | "parameters" | "answers"> {
  readonly parameters: readonly (DescribedParameter & Referring)[];
  readonly responses: Readonly<Record<string, Omit<DescribedAnswer, "status"> & Referring>>;
}

/** Parses an OpenAPI document for the page. */
export function readDocument(document: unknown): DescribedApi {
  const { tags, paths, components } = document as Written;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, responses, ...operation }]): DescribedOperation => {
      const answers = Object.entries(responses).map(([status, answer]): DescribedAnswer => {
        if (answer.$ref === undefined) return { ...answer, status };
        const name = nameIn(answer.$ref);
        return { ...(components.responses[name] ?? answer), status, name };
      });
      return {
        ...operation,
        method: method.toUpperCase(),
        path,
        answers,
        parameters: parameters.map((one) => components.parameters[nameIn(one.$ref ?? "")] ?? one),
      };
    }),
  );
  return {
    areas: tags,
    operations,
    schemas: components.schemas,
  };
}

/** The operations that contain each word in their id, method, path or summary. */
export function fittingOperations(operations: readonly DescribedOperation[], text: string): DescribedOperation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter(({ operationId, method, path, summary }) => {
    const shown = `${operationId} ${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => shown.includes(word));
  });
}

export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
