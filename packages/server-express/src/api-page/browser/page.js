import { followAddress, startSearch } from "./search.js";
import { startSession } from "./session.js";
import { startTryOuts } from "./try-out.js";

/** What is named elsewhere on the page is shown where it is opened: `toggle` doesn't bubble, and so is caught on its way down. */
document.addEventListener("toggle", ({ target }) => fill(target), { capture: true });

startSearch();
followAddress();
startSession();
startTryOuts();

/** @param {EventTarget | null} target */
function fill(target) {
  if (!(target instanceof HTMLDetailsElement) || !target.open || target.dataset.fill === undefined) return;
  const [, ...held] = document.getElementById(target.dataset.fill)?.children ?? [];
  delete target.dataset.fill;
  if (held.length > 0)
    target.replaceChildren(...[...target.children].slice(0, 1), ...held.map((one) => one.cloneNode(true)));
}
