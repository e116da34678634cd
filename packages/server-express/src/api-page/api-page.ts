import type { OpenApiDocument } from "@liveplane/core/contract";
import { type DescribedApi, type DescribedOperation, readDocument } from "./described.ts";
import { html, type Markup, sentence } from "./markup.ts";
import { operationSection, refusalSection } from "./operation-section.ts";
import { limits, schemaTree } from "./schema-tree.ts";

/** Writes the page of an API: all that is to be read stands in it, so that it serves without its script too. `assets`: where those lie. */
export function apiPage(document: OpenApiDocument, assets: string): string {
  const api = readDocument(document);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>liveplane API</title>
<link rel="icon" href="${assets}/icon.svg"><link rel="stylesheet" href="${assets}/page.css"><script type="module" src="${assets}/page.js"></script></head>
<body><a class="skip" href="#operations">Skip to the operations</a>
<header><h1>liveplane API</h1>${signIn}</header>
<div class="columns">${navigation(api)}
<main id="operations" tabindex="-1">
<p>${api.summary} Version 1. The machine-readable document is <a href="openapi.json">openapi.json</a>.</p>
<noscript><p>Without JavaScript nothing can be tried here; all the rest is on this page, and in <a href="openapi.json">openapi.json</a>.</p></noscript>
${api.areas.map((area) => areaSection(area, api))}
<section id="schemas" aria-labelledby="schemas-title"><h2 id="schemas-title">Schemas</h2>${schemas(api)}</section>
<section id="refusals" aria-labelledby="refusals-title"><h2 id="refusals-title">Errors</h2>
<p>Every refusal is a problem document (RFC 9457) of the schema <a href="#schema-Problem">Problem</a>; its <code>code</code> is what to switch over.</p>
${Object.entries(api.refusals).map(([name, refusal]) => refusalSection(name, refusal))}</section>
</main></div></body></html>`;
  return page.markup;
}

/** Two ways to a token. It is kept by the script alone, and gone with the page. */
const signIn = html`<section class="sign-in" aria-label="Sign in"><p role="status" data-signed>Not signed in.</p>
<details><summary>Sign in</summary>
<form data-sign-in="password" aria-label="Sign in with a password"><label><span>User name or e-mail</span> <input name="username" autocomplete="username" required></label>
<label><span>Password</span> <input name="password" type="password" autocomplete="current-password" required></label><button>Sign in</button></form>
<form data-sign-in="renewal" aria-label="Choose a password" hidden><label><span>This password is for once. One of your own</span> <input name="newPassword" type="password" autocomplete="new-password" required></label><button>Choose it</button></form>
<form data-sign-in="token" aria-label="Sign in with a token"><label><span>Or an access token</span> <input name="token" type="password" autocomplete="off" required></label><button>Use this token</button></form>
<p>The token is kept in this page's memory alone: it is gone when the page is left or loaded again.</p></details>
<button type="button" data-sign-out hidden>Sign out</button></section>`;

function navigation({ areas, operations }: DescribedApi): Markup {
  return html`<nav aria-label="Operations"><div class="search" role="search"><label><span>Search</span> <input type="search" autocomplete="off" aria-describedby="found"></label><p id="found" role="status"></p></div>
${areas.map(({ name }) => html`<details open data-area><summary>${name}</summary><ul>${operations.filter(isIn(name)).map(link)}</ul></details>`)}
<p><a href="#schemas">Schemas</a> · <a href="#refusals">Errors</a></p></nav>`;
}

function link({ operationId, method, path, summary }: DescribedOperation): Markup {
  const words = `${operationId} ${method} ${path} ${summary}`.toLowerCase();
  const name = operationId.slice(operationId.indexOf(".") + 1);
  return html`<li data-words="${words}"><a href="#${operationId}" title="${summary}"><span class="method">${method}</span> ${name}</a></li>
`;
}

function areaSection({ name, description }: DescribedApi["areas"][number], api: DescribedApi): Markup {
  return html`<section id="${name}" aria-labelledby="${name}-title"><h2 id="${name}-title">${name}</h2><p>${description}</p>
${api.operations.filter(isIn(name)).map((operation) => operationSection(operation, api))}</section>
`;
}

function schemas({ schemas: all }: DescribedApi): readonly Markup[] {
  return Object.entries(all).map(([name, schema]) => {
    const { description } = schema;
    return html`<article id="schema-${name}"><h3>${name}</h3>${description !== undefined && html`<p>${sentence(description)}</p>`}${schemaTree(schema) ?? html`<p>${limits(schema)}</p>`}</article>
`;
  });
}

function isIn(area: string): (operation: DescribedOperation) => boolean {
  return ({ tags }) => tags.includes(area);
}
