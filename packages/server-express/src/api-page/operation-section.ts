import {
  type DescribedAnswer,
  type DescribedApi,
  type DescribedMedia,
  type DescribedOperation,
  type DescribedParameter,
  type DescribedSchema,
  nameIn,
} from "./described.ts";
import { exampleOf } from "./examples.ts";
import { html, type Markup, sentence } from "./markup.ts";
import { limits, schemaTree, typeWords } from "./schema-tree.ts";
import { tryOut } from "./try-out.ts";

/** All there is to know of an operation, and a form to try it. */
export function operationSection(operation: DescribedOperation, api: DescribedApi): Markup {
  const { operationId: id, method, path, description, deprecated } = operation;
  return html`<article class="operation" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><a href="#${id}">${id}</a>${deprecated === true && html` <span class="deprecated">deprecated</span>`}</h3>
<p class="call"><span class="method">${method}</span> <code>${path}</code></p>
<p>${sentence(description)} <span class="rights">${credential(operation)}</span></p>
${parameters(operation)}${requestBody(operation, api)}${answers(operation, api)}${tryOut(operation, api)}</article>
`;
}

/** A refusal that operations share: its codes, each with what it means. */
export function refusalSection(name: string, { description }: Omit<DescribedAnswer, "status">): Markup {
  return html`<article id="refusal-${name}"><h3>${name}</h3><p>${sentence(description)}</p></article>
`;
}

/** The first media type that holds JSON, and what it holds. */
function jsonMedia(
  content: Readonly<Record<string, DescribedMedia>> = {},
): readonly [string, DescribedMedia] | undefined {
  return Object.entries(content).find(([type]) => type.includes("json")) ?? Object.entries(content)[0];
}

function credential({ security }: DescribedOperation): string {
  const [first] = security;
  if (first === undefined) return "No credential.";
  return "challenge" in first ? "Credential: the mailed challenge." : "Credential: an access token.";
}

function parameters({ parameters: all }: DescribedOperation): Markup {
  const inAddress = all.filter((parameter) => parameter.in !== "header");
  const headers = all.filter((parameter) => parameter.in === "header");
  return html`${inAddress.length > 0 && html`<h4>Parameters</h4><ul class="members">${inAddress.map(parameter)}</ul>`}
${headers.length > 0 && html`<details><summary>Request headers</summary><ul class="members">${headers.map(parameter)}</ul></details>`}`;
}

function parameter({ name, in: place, required, description, schema }: DescribedParameter): Markup {
  return html`<li><code class="member">${name}</code> <span class="type">${typeWords(schema)}</span> <span class="place">in ${place}</span>
${required && html` <span class="required">required</span>`}${limits(schema)}${description !== undefined && html`<p>${sentence(description)}</p>`}</li>`;
}

function requestBody({ requestBody: body }: DescribedOperation, api: DescribedApi): Markup | false {
  if (body === undefined) return false;
  const [, media] = jsonMedia(body.content) ?? [];
  if (media === undefined) return false;
  return html`<h4>Request body</h4><p><code>${Object.keys(body.content).join(", ")}</code> ${body.required ? "Required." : "May be left out."} ${body.description}</p>
${bodyTree(media.schema, api)}${example(media.example ?? exampleOf(media.schema, api.schemas, "required"))}`;
}

/** What is to be sent stands open: its members are what one came for. */
function bodyTree(schema: DescribedSchema, { schemas }: DescribedApi): Markup | null {
  if (schema.$ref === undefined) return schemaTree(schema);
  const name = nameIn(schema.$ref);
  return html`<p>Schema <a href="#schema-${name}">${name}</a></p>${schemaTree(schemas[name] ?? {})}`;
}

function answers({ answers: all }: DescribedOperation, api: DescribedApi): Markup {
  const refusals = all.filter(({ name }) => name !== undefined);
  return html`<h4>Answers</h4>${all.filter(({ name }) => name === undefined).map((answer) => success(answer, api))}
<details><summary>Errors: ${refusals.map(({ status }) => status).join(", ")}</summary>${refusals.map(refusal)}</details>`;
}

function success({ status, description, content }: DescribedAnswer, api: DescribedApi): Markup {
  const [type, media] = jsonMedia(content) ?? [];
  return html`<p><strong>${status}</strong> ${description} <code>${type}</code></p>
${media !== undefined && html`${schemaTree(media.schema)}${example(media.example ?? exampleOf(media.schema, api.schemas, "all"))}`}`;
}

function refusal({ status, name = "", "x-codes": codes = [] }: DescribedAnswer): Markup {
  return html`<details class="named" data-fill="refusal-${name}"><summary>${status}: ${codes.join(", ")}</summary><p><a href="#refusal-${name}">What these codes mean</a></p></details>`;
}

function example(value: unknown): Markup {
  return html`<details><summary>Example</summary><pre tabindex="0">${JSON.stringify(value, null, 2)}</pre></details>`;
}
