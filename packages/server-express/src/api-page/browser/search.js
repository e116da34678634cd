/** Makes the search narrow the list of operations: every word has to stand in its id, method, path or summary. */
export function startSearch() {
  const field = document.querySelector("input[type=search]");
  if (!(field instanceof HTMLInputElement)) return;
  field.addEventListener("input", () => narrow(field.value));
  field.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") firstLink()?.click();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select") !== null;
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
}

/** Marks the operation that the address names. */
export function followAddress() {
  const mark = () => {
    for (const link of document.querySelectorAll("nav li a"))
      if (link.getAttribute("href") === location.hash) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
  };
  addEventListener("hashchange", mark);
  mark();
}

/** @param {string} text */
function narrow(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const item of document.querySelectorAll("nav [data-words]")) {
    const isFound = words.every((word) => item.getAttribute("data-words")?.includes(word));
    item.toggleAttribute("hidden", !isFound);
    if (isFound) count++;
  }
  for (const area of document.querySelectorAll("nav [data-area]")) {
    const isLeft = area.querySelector("[data-words]:not([hidden])") !== null;
    area.toggleAttribute("hidden", !isLeft);
    if (words.length > 0 && isLeft) area.setAttribute("open", "");
  }
  const found = document.querySelector("#found");
  if (found !== null)
    found.textContent = words.length === 0 ? "" : `${count} operation${count === 1 ? "" : "s"} found.`;
}

/** @returns {HTMLAnchorElement | null} */
function firstLink() {
  return document.querySelector("nav [data-words]:not([hidden]) a");
}
