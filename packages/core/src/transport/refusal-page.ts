import { errorCodes, type Problem } from "../errors.ts";

/** A page that nothing is loaded by, nothing runs on, and nobody frames. */
export const refusalPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What a browser shows that can't sign in: what happened, what to do, and what to name to those who run the service. */
export function refusalPage({ code, detail, requestId }: Problem, again: string): string {
  const [, title] = errorCodes[code];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title></head>
<body><main><h1>You are not signed in</h1>
<p><strong>${escaped(title)}.</strong> ${escaped(detail)}</p>
<p><a href="${escaped(again)}">Begin anew</a></p>
<p>Code <code>${escaped(code)}</code>, request <code>${escaped(requestId)}</code></p></main></body></html>
`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
