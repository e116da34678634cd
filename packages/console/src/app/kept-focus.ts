import { useEffect, useRef } from "preact/hooks";

/** How long a page has to move the focus itself. */
const graceMs = 100;
const reachable = "a[href], button, summary, input, select, textarea";

/**
 * Keeps the focus on the page when its element is removed, such as the row of something that was just deleted: the next row gets it, or the
 * previous one, or else the heading of the section. Returns the ref of the page's element, which may be in a shadow root.
 */
export function useKeptFocus<Page extends HTMLElement = HTMLElement>() {
  const page = useRef<Page>(null);
  useEffect(() => {
    const { current } = page;
    if (current === null) return;
    let last: Node | null = null;
    let timer = 0;
    const remember = ({ target }: FocusEvent) => {
      last = target as Node;
    };
    const observer = new MutationObserver((records) => {
      if (last === null || last.isConnected) return;
      const next = successorOf(last, records) ?? current;
      last = null;
      timer = window.setTimeout(() => {
        // Focus within a shadow root is its host's for the document, and the body's once it is lost.
        if (document.activeElement === document.body) focusOn(next.isConnected ? next : current);
      }, graceMs);
    });
    current.addEventListener("focusin", remember);
    observer.observe(current, { childList: true, subtree: true });
    return () => {
      clearTimeout(timer);
      current.removeEventListener("focusin", remember);
      observer.disconnect();
    };
  }, []);
  return page;
}

/** What follows a removed element: in a list the next entry, or else the heading above. */
function successorOf(removed: Node, records: readonly MutationRecord[]): HTMLElement | null {
  const isOfIt = ({ removedNodes, target }: MutationRecord) =>
    target.isConnected && [...removedNodes].some((node) => node.contains(removed));
  const record = records.find(isOfIt);
  if (record === undefined || !(record.target instanceof Element)) return null;
  const { target, nextSibling, previousSibling } = record;
  for (const beside of [nextSibling, previousSibling]) {
    const found = beside instanceof Element && beside.matches("tr, li, article") && beside.querySelector(reachable);
    if (found instanceof HTMLElement) return found;
  }
  return target.closest("section")?.querySelector("h2") ?? null;
}

function focusOn(element: HTMLElement): void {
  if (!element.matches(reachable)) element.tabIndex = -1;
  element.focus();
}
