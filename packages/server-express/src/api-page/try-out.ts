import type { DescribedApi, DescribedOperation, DescribedParameter } from "./described.ts";
import { exampleOf } from "./examples.ts";
import { html, type Markup } from "./markup.ts";

/** The form that sends an operation; the page's script reads its fields by their names, `place:name`. */
export function tryOut(operation: DescribedOperation, api: DescribedApi): Markup {
  const { operationId: id, method, path, security, parameters } = operation;
  const headers = parameters.filter((parameter) => parameter.in === "header");
  const others = parameters.filter((parameter) => parameter.in !== "header");
  const isChallenged = security.some((kind) => "challenge" in kind);
  return html`<details class="try"><summary>Try it</summary>
<form data-method="${method}" data-path="${path}" aria-label="Try ${id}">
${isChallenged && labelled("Challenge", html`<input name="challenge" autocomplete="off" required placeholder="handle.secret">`)}
${others.map((parameter) => field(parameter, api))}
${body(operation, api)}
${headers.length > 0 && html`<details><summary>Headers</summary>${headers.map((parameter) => field(parameter, api))}</details>`}
<p class="buttons"><button>Send</button></p></form></details>`;
}

function body({ requestBody }: DescribedOperation, { schemas }: DescribedApi): Markup | false {
  const media = requestBody?.content["application/json"];
  if (requestBody === undefined || media === undefined) return false;
  const value = JSON.stringify(media.example ?? exampleOf(media.schema, schemas, "required"), null, 2);
  const rows = Math.min(20, value.split("\n").length + 1);
  return labelled("Body (JSON)", html`<textarea name="body" rows="${rows}" spellcheck="false">${value}</textarea>`);
}

function field(parameter: DescribedParameter, api: DescribedApi): Markup {
  return labelled(
    html`${parameter.name} <span class="place">${parameter.in}${parameter.required && ", required"}</span>`,
    control(parameter, api),
  );
}

/** What is required is filled from the example; the rest is empty, with the example to look at. */
function control({ name, in: place, required, schema }: DescribedParameter, { schemas }: DescribedApi): Markup {
  const values = schema.type === "boolean" ? ["true", "false"] : schema.enum?.map(String);
  const isSecret = schema.format === "password";
  const given = place === "path" ? String(exampleOf(schema, schemas, "required")) : "";
  const needed = required ? html` required` : null;
  if (values !== undefined)
    return html`<select name="${place}:${name}"${needed}>${!required && html`<option value="">(none)</option>`}
${values.map((value) => html`<option${value === given && html` selected`}>${value}</option>`)}</select>`;
  return html`<input name="${place}:${name}"${isSecret && html` type="password"`}${schema.type === "array" && html` data-list placeholder="several, with commas"`}${needed} value="${given}" autocomplete="off">`;
}

function labelled(label: Markup | string, control: Markup): Markup {
  return html`<label><span>${label}</span> ${control}</label>`;
}
