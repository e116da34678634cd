/**
 * What a form asks to be sent.
 * @typedef {object} Wanted
 * @property {string} method
 * @property {string} url
 * @property {Readonly<Record<string, string>>} headers
 * @property {readonly string[]} secrets The names of headers whose values are not shown.
 * @property {string | null} body
 */

/**
 * A field of a form: `name` is `place:name`, or `body`, or `challenge`.
 * @typedef {object} Field
 * @property {string} name
 * @property {string} value
 * @property {boolean} [isList] Several values, with commas between them.
 * @property {boolean} [isSecret]
 */

/**
 * Makes the request that a form's fields say.
 * @param {{ method: string, path: string, base: string, token: string, fields: readonly Field[] }} form
 * @returns {Wanted}
 */
export function requestOf({ method, path, base, token, fields }) {
  const filled = fields.filter(({ value }) => value !== "");
  const named = (/** @type {string} */ place) =>
    filled.flatMap((field) =>
      field.name.startsWith(`${place}:`) ? [{ ...field, name: field.name.slice(place.length + 1) }] : [],
    );
  const plain = (/** @type {string} */ name) => filled.find((field) => field.name === name)?.value ?? null;
  const inPath = new Map(named("path").map(({ name, value }) => [name, value]));
  const filledPath = path.slice(1).replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath.get(name) ?? ""));
  const url = new URL(filledPath, base);
  for (const { name, value, isList } of named("query"))
    for (const one of isList === true ? value.split(",") : [value]) url.searchParams.append(name, one.trim());
  const body = plain("body");
  const credential = plain("challenge") ?? token;
  const headers = Object.fromEntries(named("header").map(({ name, value }) => [name, value]));
  if (credential !== "") headers.Authorization = `Bearer ${credential}`;
  if (body !== null) headers["Content-Type"] = "application/json";
  const secrets = named("header").flatMap(({ name, isSecret }) => (isSecret === true ? [name] : []));
  return { method, url: url.href, headers, secrets: ["Authorization", ...secrets], body };
}

/**
 * Writes the request as a line for a shell. Credentials are variables in it, so that it can be shown and passed on.
 * @param {Wanted} wanted
 */
export function curlLine({ method, url, headers, secrets, body }) {
  const shown = Object.entries(headers).map(([name, value]) => {
    if (!secrets.includes(name)) return `-H ${quoted(`${name}: ${value}`)}`;
    return name === "Authorization"
      ? '-H "Authorization: Bearer $TOKEN"'
      : `-H "${name}: $${name.toUpperCase().replaceAll("-", "_")}"`;
  });
  const parts = [
    `curl -i -X ${method} ${quoted(url)}`,
    ...shown,
    ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
