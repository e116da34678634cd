import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Address, linkTo } from "../app/address.ts";
import { KeyTerms } from "../parts/key-terms.tsx";
import { overviewTexts } from "../texts/overview-texts.ts";

const words = overviewTexts.keys;

/** The pages behind `g` and a letter. */
const places: Readonly<Record<string, string>> = {
  h: "",
  o: "overrides",
  l: "live-systems",
  n: "environments",
  e: "events",
};
/** How long the letter after `g` may take. */
const pauseMs = 1500;

interface ShortcutsProps {
  readonly address: Address;
  readonly isPaletteOpen: Signal<boolean>;
}

/** The keys of the whole console, and the list of them. Single keys can be turned off. */
export function Shortcuts({ address, isPaletteOpen }: ShortcutsProps) {
  const isListed = useSignal(false);
  const hasSingleKeys = useSignal(true);
  const wentAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, metaKey, ctrlKey, altKey, timeStamp } = event;
      if ((metaKey || ctrlKey) && !altKey && key.toLowerCase() === "k") isPaletteOpen.value = !isPaletteOpen.value;
      else if (!hasSingleKeys.value || metaKey || ctrlKey || altKey || isTyping(event)) return;
      else if (key === "?") isListed.value = true;
      else if (key === "/") isPaletteOpen.value = !focusSearch();
      else if (key === "g") {
        wentAt.current = timeStamp;
        return;
      } else {
        const place = timeStamp - wentAt.current < pauseMs ? places[key] : undefined;
        wentAt.current = Number.NEGATIVE_INFINITY;
        if (place === undefined) return;
        address.go(linkTo(place));
      }
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [address, isPaletteOpen, isListed, hasSingleKeys]);
  return <KeyList isListed={isListed} hasSingleKeys={hasSingleKeys} />;
}

/** Whether a key belongs to a field or a dialog. */
function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest("input, select, textarea, dialog") !== null;
}

/** Moves the focus to the page's search field, if it has one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("#main input[type='search']");
  field?.focus();
  field?.select();
  return field !== null;
}

interface KeyListProps {
  readonly isListed: Signal<boolean>;
  readonly hasSingleKeys: Signal<boolean>;
}

function KeyList({ isListed, hasSingleKeys }: KeyListProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isListed.value) dialog.current?.showModal();
  }, [isListed.value]);
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys" onClose={() => (isListed.value = false)}>
      <h2 id="keys">{words.title}</h2>
      <KeyTerms />
      <label>
        <input
          type="checkbox"
          checked={hasSingleKeys.value}
          onChange={({ currentTarget }) => (hasSingleKeys.value = currentTarget.checked)}
        />{" "}
        {words.single}
      </label>
      <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
        {words.close}
      </button>
    </dialog>
  );
}
