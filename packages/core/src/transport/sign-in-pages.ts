import { errorCodes, type Problem } from "../errors.ts";
import type { LinkOffer } from "../sessions/issuer-sign-in.ts";

/** For pages that load nothing, run nothing, and can't be framed. `formAction`: where their form may be sent. */
export function signInPolicy(formAction = "'none'"): string {
  return `default-src 'none'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`;
}

/** Where a refusal leads: to a new sign-in at the provider, and to the console's own sign-in page. */
export interface WaysOn {
  readonly again: string;
  readonly console: string;
}

/** The page of a failed sign-in: what happened, what to do, and what to tell the operators. */
export function refusalPage({ code, detail, requestId, status }: Problem, { again, console }: WaysOn): string {
  // A provider that still knows a refused person would send them straight back.
  const start = status === 403 ? `${again}?fresh=1` : again;
  const [, title] = errorCodes[code];
  return pageOf(
    title,
    `<h1>You are not signed in</h1>
<p><strong>${escaped(title)}.</strong> ${escaped(detail)}</p>
<p><a href="${escaped(start)}">Start again</a></p>
<p><a href="${escaped(console)}">Sign in another way</a></p>
<p>Code <code>${escaped(code)}</code>, request <code>${escaped(requestId)}</code></p>`,
  );
}

/** The page for a sign-in on another machine: the code to copy there. */
export function codePage(code: string): string {
  return pageOf(
    "Your code",
    `<h1>Take this code to your terminal</h1>
<p><code>${escaped(code)}</code></p>
<p>You can use it once, within ten minutes, in the program that sent you here. If somebody asks you for it, or you began nothing in a terminal, close this page.</p>`,
  );
}

/** Asks whether to link an identity to an account. `action`: where the confirming form is sent. */
export function confirmationPage(
  { account, identity }: Pick<LinkOffer, "account" | "identity">,
  action: string,
): string {
  const of = (names: readonly (string | null)[]) =>
    names.flatMap((name) => (name === null ? [] : [`<strong><bdi>${escaped(name)}</bdi></strong>`])).join(", ");
  return pageOf(
    "Link your identity",
    `<h1>Link this identity to this account?</h1>
<p>Identity: ${of([identity.email, identity.subject])} at <bdi>${escaped(identity.issuer)}</bdi></p>
<p>Account: ${of([account.username, account.email])} on this server</p>
<p>From then on, anyone who signs in with this identity opens this account. Link them only if both are yours and you started this yourself. If somebody sent you here, close this page: nothing is linked.</p>
<form method="post" action="${escaped(action)}"><button>Link them</button></form>`,
  );
}

function pageOf(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${escaped(title)}</title></head>
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
