type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** JSON as YAML that people read. Texts that YAML could take for anything else are quoted, and characters that can't be seen are escaped. */
export function yamlOf(value: Json): string {
  return `${linesOf(value).join("\n")}\n`;
}

function linesOf(value: Json): string[] {
  if (typeof value !== "object" || value === null) return [scalar(value)];
  if (Array.isArray(value)) {
    if (value.length === 0) return ["[]"];
    return value.flatMap((item: Json) => linesOf(item).map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`)));
  }
  const members = Object.entries(value);
  if (members.length === 0) return ["{}"];
  return members.flatMap(([name, inner]) => {
    const lines = linesOf(inner);
    const isShort = typeof inner !== "object" || inner === null || Object.keys(inner).length === 0;
    return isShort ? [`${scalar(name)}: ${lines[0]}`] : [`${scalar(name)}:`, ...lines.map((line) => `  ${line}`)];
  });
}

const plain = /^[A-Za-z/][\w./@-]*( [\w./@-]+)*$/;
const reserved = /^(true|false|null|yes|no|on|off|y|n)$/i;

function scalar(value: Exclude<Json, object> | null): string {
  if (typeof value !== "string") return JSON.stringify(value);
  if (plain.test(value) && !reserved.test(value)) return value;
  return JSON.stringify(value.toWellFormed()).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (unseen) => {
    const code = unseen.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
