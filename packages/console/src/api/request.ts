export interface WantedRequest {
  readonly method: string;
  /** From the API's address, without a leading slash. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The names of headers whose values are hidden. */
  readonly secrets: readonly string[];
  readonly body: string | null;
}

/** A filled field of a form. Its name is `place:name`, `body` or `challenge`. */
export interface FormField {
  readonly name: string;
  readonly value: string;
  /** Several values, separated by commas. */
  readonly isList?: boolean;
  readonly isSecret?: boolean;
}

/** Builds the request from a form's fields. */
export function requestOf(method: string, template: string, fields: readonly FormField[]): WantedRequest {
  const filled = fields.filter(({ value }) => value !== "");
  const named = (place: string) =>
    filled.flatMap((field) =>
      field.name.startsWith(`${place}:`) ? [{ ...field, name: field.name.slice(place.length + 1) }] : [],
    );
  const plain = (name: string) => filled.find((field) => field.name === name)?.value ?? null;
  const inPath = new Map(named("path").map(({ name, value }) => [name, value]));
  const path = template.slice(1).replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath.get(name) ?? ""));
  const query = named("query").flatMap(({ name, value, isList }) =>
    (isList === true ? value.split(",") : [value]).map((one) => [name, one.trim()]),
  );
  const [body, challenge] = [plain("body"), plain("challenge")];
  return {
    method,
    path: query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`,
    headers: {
      ...Object.fromEntries(named("header").map(({ name, value }) => [name, value])),
      ...(challenge !== null && { Authorization: `Bearer ${challenge}` }),
      ...(body !== null && { "Content-Type": "application/json" }),
    },
    secrets: named("header").flatMap(({ name, isSecret }) => (isSecret === true ? [name] : [])),
    body,
  };
}

/** The request as a shell command. Credentials are variables in it, so that it can be shared. */
export function curlLine({ method, path, headers, secrets, body }: WantedRequest, address: string): string {
  const { Authorization: _, ...others } = headers;
  const shown = Object.entries(others).map(([name, value]) =>
    secrets.includes(name)
      ? `-H "${name}: $${name.toUpperCase().replaceAll("-", "_")}"`
      : `-H ${quoted(`${name}: ${value}`)}`,
  );
  return [
    `curl -i -X ${method} ${quoted(address + path)}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...shown,
    ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
