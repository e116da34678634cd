import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { linkTo } from "../app/address.ts";
import { useWorkplace } from "../app/workplace.ts";
import type { ConsolePage } from "../pages/pages.ts";
import { FailureNotice } from "../parts/notice.tsx";
import { overviewTexts } from "../texts/overview-texts.ts";
import { texts } from "../texts.ts";
import { foundEntries, type PaletteEntry } from "./found-entries.ts";
import { readEntries } from "./read-entries.ts";

const words = overviewTexts.palette;
/** How many are shown. */
const most = 12;

interface PaletteProps {
  readonly isOpen: Signal<boolean>;
  readonly pages: readonly ConsolePage[];
}

/** Finds pages, components, live systems, environments and people by name. What it finds is read when it opens. */
export function Palette({ isOpen, pages }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen.value]);
  return (
    <dialog ref={dialog} class="palette" aria-label={words.title} onClose={() => (isOpen.value = false)}>
      {isOpen.value && <Search isOpen={isOpen} pages={pages} />}
    </dialog>
  );
}

function Search({ isOpen, pages }: PaletteProps) {
  const { address } = useWorkplace();
  const text = useSignal("");
  const at = useSignal(0);
  const { read, failure } = useEntries();
  const id = useId();
  const own = pages.map(({ name, title }) => ({ kind: "page", text: title, detail: "", href: linkTo(name) }) as const);
  const found = foundEntries([...own, ...(read.value ?? [])], text.value, most);
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = found[at.value];
    if (event.key === "Enter" && chosen !== undefined) {
      isOpen.value = false;
      address?.go(chosen.href);
    } else if (event.key === "ArrowDown") at.value = Math.min(at.value + 1, found.length - 1);
    else if (event.key === "ArrowUp") at.value = Math.max(at.value - 1, 0);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label={words.title}
        aria-expanded={true}
        aria-controls={`${id}-found`}
        aria-activedescendant={found.length > 0 ? `${id}-${at.value}` : undefined}
        placeholder={words.hint}
        autocomplete="off"
        autofocus
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <FoundList id={id} found={found} at={at.value} onLeave={() => (isOpen.value = false)} />
      <p class="small" role="status">
        {read.value === null && failure.value === null ? texts.shell.starting : words.count(found.length)}
      </p>
      <FailureNotice error={failure.value} />
    </>
  );
}

interface FoundListProps {
  readonly id: string;
  readonly found: readonly PaletteEntry[];
  /** The index of the chosen one. */
  readonly at: number;
  readonly onLeave: () => void;
}

function FoundList({ id, found, at, onLeave }: FoundListProps) {
  return (
    <div role="listbox" id={`${id}-found`} aria-label={words.title}>
      {found.map(({ href, text, detail, kind }, index) => (
        <a
          key={href}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          tabIndex={-1}
          href={href}
          onClick={onLeave}
        >
          <strong>{text}</strong> <span class="small">{detail}</span>
          <span class="small kind">{words.kinds[kind]}</span>
        </a>
      ))}
    </div>
  );
}

/** Reads everything once. */
function useEntries() {
  const { api, names } = useWorkplace();
  const read = useSignal<readonly PaletteEntry[] | null>(null);
  const failure = useSignal<unknown>(null);
  useEffect(() => {
    const gone = new AbortController();
    readEntries(api, names, gone.signal).then(
      (entries) => {
        read.value = entries;
      },
      (error: unknown) => {
        if (!gone.signal.aborted) failure.value = error;
      },
    );
    return () => gone.abort();
  }, [api, names, read, failure]);
  return { read, failure };
}
