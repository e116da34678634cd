import { errorCodes, type Problem } from "../errors.ts";

/** Of pages that nothing is loaded by, nothing runs on, and nobody frames. */
export const signInPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What a browser shows that can't sign in: what happened, what to do, and what to name to those who run the service. */
export function refusalPage({ code, detail, requestId }: Problem, again: string): string {
  const [, title] = errorCodes[code];
  return pageOf(
    title,
    `<h1>You are not signed in</h1>
<p><strong>${escaped(title)}.</strong> ${escaped(detail)}</p>
<p><a href="${escaped(again)}">Begin anew</a></p>
<p>Code <code>${escaped(code)}</code>, request <code>${escaped(requestId)}</code></p>`,
  );
}

/** What a browser shows that a program on another machine sent somebody to: what they take back to it. */
export function codePage(code: string): string {
  return pageOf(
    "Your code",
    `<h1>Take this code to your terminal</h1>
<p><code>${escaped(code)}</code></p>
<p>It is good once, for ten minutes, for the program that sent you here. Nobody else has a use for it: if somebody asks you for it, or you began nothing in a terminal, close this page.</p>`,
  );
}

function pageOf(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title></head>
<body><main>${content}</main></body></html>
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
