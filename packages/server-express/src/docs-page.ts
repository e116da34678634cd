import { operationsById } from "@liveplane/core/contract";
import { type OperationId, parseRoute } from "@liveplane/core/routes";

let page: string | undefined;

/** A page that lists every operation, with nothing to load from elsewhere. */
export function docsPage(): string {
  page ??= build();
  return page;
}

function build(): string {
  const ids = Object.keys(operationsById) as OperationId[];
  const areas = [...new Set(ids.map((id) => id.split(".")[0] ?? ""))];
  const sections = areas.map((area) => {
    const rows = ids.filter((id) => id.startsWith(`${area}.`)).map(operationRow);
    return `<section id="${area}"><h2>${area}</h2><table>${rows.join("")}</table></section>`;
  });
  const links = areas.map((area) => `<a href="#${area}">${area}</a>`).join(" · ");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>liveplane API</title>
<style>${style}</style></head><body><h1>liveplane API</h1><p>Version 1. The machine-readable document is <a href="openapi.json">openapi.json</a>.</p><nav>${links}</nav>${sections.join("")}</body></html>`;
}

function operationRow(id: OperationId): string {
  const { methods, path } = parseRoute(id);
  const { summary, access, deprecated } = operationsById[id];
  const who = "who" in access ? access.who : `${access.need} on ${access.on}`;
  const name = deprecated === undefined ? `<code>${id}</code>` : `<s><code>${id}</code></s>`;
  return `<tr id="${id}"><td><b>${methods.join(", ")}</b></td><td><code>${escaped(path)}</code><br>${escaped(summary)}</td><td>${name}</td><td>${who}</td></tr>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

const style = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}td{border-top:1px solid #8884;padding:.5rem;vertical-align:top}code{font-size:.9em;overflow-wrap:anywhere}nav{margin:1rem 0}`;
