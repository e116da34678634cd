import { curlLine, requestOf } from "./request.js";
import { base, currentToken } from "./session.js";

/** @typedef {import("./request.js").Wanted} Wanted */

/** Makes every form that tries an operation send it. */
export function startTryOuts() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.path === undefined) return;
    event.preventDefault();
    void tryOut(form);
  });
}

/** @param {HTMLFormElement} form */
async function tryOut(form) {
  const { method = "", path = "" } = form.dataset;
  const wanted = requestOf({ method, path, base, token: currentToken(), fields: fieldsOf(form) });
  const { place, say } = freshPlace(form);
  const stop = stopButton(form);
  const started = performance.now();
  const elapsed = () => `${Math.round(performance.now() - started)} ms`;
  say("Sending …");
  place.append(disclosed("curl", textBlock(curlLine(wanted)), copyButton(curlLine(wanted))));
  try {
    const { headers, body } = wanted;
    const answer = await fetch(wanted.url, { method, headers, body, signal: stop.signal, cache: "no-store" });
    place.append(disclosed("Headers", headerList(answer.headers)));
    const id = answer.headers.get("x-request-id");
    say(`${answer.status} ${answer.statusText} in ${elapsed()}${id === null ? "" : `, request ${id}`}`);
    const shown = textBlock("");
    place.append(shown);
    await showBody(answer, shown);
  } catch (error) {
    say(
      stop.signal.aborted
        ? `Stopped after ${elapsed()}.`
        : `Not answered: ${error instanceof Error ? error.message : "unknown"}`,
    );
  } finally {
    stop.remove();
  }
}

/**
 * Shows a body as it comes, so that a stream of events can be watched; JSON is laid out at its end.
 * @param {Response} answer
 * @param {HTMLElement} shown
 */
async function showBody(answer, shown) {
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) shown.append(part.value);
  const text = shown.textContent ?? "";
  if (answer.headers.get("content-type")?.includes("json") === true)
    shown.textContent = JSON.stringify(JSON.parse(text), null, 2);
}

/** @param {HTMLFormElement} form */
function fieldsOf(form) {
  return [...form.elements].flatMap((field) => {
    const isField =
      field instanceof HTMLInputElement || field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement;
    if (!isField) return [];
    return [
      {
        name: field.name,
        value: field.value,
        isList: field.dataset.list !== undefined,
        isSecret: field.type === "password",
      },
    ];
  });
}

/**
 * The place of the answer, emptied of the one before. A screen reader is told the line alone, not the whole body.
 * @param {HTMLFormElement} form
 */
function freshPlace(form) {
  const before = form.nextElementSibling;
  const line = before?.querySelector("[role=status]") ?? element("p", "");
  line.setAttribute("role", "status");
  const place = before instanceof HTMLElement ? before : element("div", "");
  place.className = "answered";
  place.replaceChildren(line);
  if (before === null) form.after(place);
  /** @param {string} text */
  const say = (text) => {
    line.textContent = text;
  };
  return { place, say };
}

/** @param {HTMLFormElement} form */
function stopButton(form) {
  const control = new AbortController();
  const button = element("button", "Stop");
  button.setAttribute("type", "button");
  button.addEventListener("click", () => control.abort());
  form.querySelector(".buttons")?.append(button);
  return { signal: control.signal, remove: () => button.remove() };
}

/** @param {Headers} headers */
function headerList(headers) {
  const list = document.createElement("dl");
  for (const [name, value] of headers) list.append(element("dt", name), element("dd", value));
  return list;
}

/**
 * @param {string} title
 * @param {...HTMLElement} held
 */
function disclosed(title, ...held) {
  const details = document.createElement("details");
  details.append(element("summary", title), ...held);
  return details;
}

/** @param {string} text */
function copyButton(text) {
  const button = element("button", "Copy");
  button.setAttribute("type", "button");
  button.addEventListener("click", async () => {
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? "Copied" : "The browser doesn't allow it";
  });
  return button;
}

/** @param {string} text */
function textBlock(text) {
  const block = element("pre", text);
  block.tabIndex = 0;
  return block;
}

/**
 * @param {string} name
 * @param {string} text
 */
function element(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}
