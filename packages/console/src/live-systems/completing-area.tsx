import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import type { DescribedSchema } from "../api/described.ts";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import { texts } from "../texts.ts";
import { type Suggestion, type Suggestions, suggestionsAt } from "./declaration-completion.ts";

const words = liveSystemTexts.declaration;
/** How many are shown. */
const most = 8;

interface CompletingAreaProps {
  readonly text: string;
  readonly area: { current: HTMLTextAreaElement | null };
  readonly onChange: (text: string) => void;
}

/** Where the list of suggestions is, in pixels of the area. */
interface Spot {
  readonly top: number;
  readonly left: number;
}

/**
 * The declaration's text. What the schema allows is suggested while somebody types, or when they press Ctrl+Space. Enter and Tab keep
 * their meaning until an arrow key has chosen a suggestion.
 */
export function CompletingArea({ text, area, onChange }: CompletingAreaProps) {
  const id = useId();
  const { open, at, close, suggest, follow, move, write } = useSuggestions(area);
  const { found = [] } = open.value ?? {};
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = found[at.value];
    if (event.ctrlKey && event.code === "Space") void suggest("asked");
    else if (found.length === 0) return;
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" && chosen !== undefined) write(chosen);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  };
  return (
    <div class="completing">
      <label>
        {words.label}
        <textarea
          ref={area}
          rows={Math.min(22, text.split("\n").length + 1)}
          spellcheck={false}
          autocomplete="off"
          value={text}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={found.length > 0 ? `${id}-found` : undefined}
          aria-activedescendant={found[at.value] === undefined ? undefined : `${id}-${at.value}`}
          onInput={({ currentTarget, inputType }) => {
            onChange(currentTarget.value);
            if (/^insertText/.test(inputType)) void suggest("typed");
            else close();
          }}
          onKeyDown={onKeyDown}
          onClick={close}
          onBlur={close}
          onScroll={follow}
        />
      </label>
      <FoundWords id={id} found={found} at={at.value} spot={open.value?.spot ?? null} onChoose={write} />
      <p class="hidden" role="status">
        {found.length > 0 && words.suggestions(found.length)}
      </p>
    </div>
  );
}

/** The suggestions at the caret, and the chosen one. */
function useSuggestions(area: CompletingAreaProps["area"]) {
  const open = useSignal<(Suggestions & { readonly spot: Spot }) | null>(null);
  const at = useSignal(-1);
  /** Counts what was asked and closed: an answer that comes late isn't shown. */
  const turn = useRef(0);
  const close = () => {
    turn.current++;
    open.value = null;
    at.value = -1;
  };
  return {
    open,
    at,
    close,
    async suggest(why: "typed" | "asked") {
      const own = ++turn.current;
      const schema = await declarationSchema();
      const { current } = area;
      if (current === null || own !== turn.current) return;
      const { value, selectionStart } = current;
      const all = suggestionsAt(value, selectionStart, schema, texts.clouds);
      if (all === null || (why === "typed" && all.typed === "")) return close();
      open.value = { ...all, found: all.found.slice(0, most), spot: spotOf(current, all.from) };
      at.value = why === "asked" ? 0 : -1;
    },
    /** Keeps the list at its place when the text scrolls. */
    follow() {
      const { current } = area;
      if (current !== null && open.value !== null)
        open.value = { ...open.value, spot: spotOf(current, open.value.from) };
    },
    move(by: number) {
      const count = open.value?.found.length ?? 0;
      at.value = (at.value + by + count) % count;
    },
    write({ written }: Suggestion) {
      const { current } = area;
      if (current === null || open.value === null) return;
      current.focus();
      current.setSelectionRange(open.value.from, open.value.to);
      close();
      // The only way to write text that a person can undo.
      document.execCommand("insertText", false, written);
    },
  };
}

/** The schema of the file for the command line, which declares the same. It is loaded when the first word is completed. */
async function declarationSchema(): Promise<DescribedSchema> {
  const { default: schema } = await import("@liveplane/client/declaration.schema.json");
  return schema as DescribedSchema;
}

interface FoundWordsProps {
  readonly id: string;
  readonly found: readonly Suggestion[];
  readonly at: number;
  readonly spot: Spot | null;
  readonly onChoose: (suggestion: Suggestion) => void;
}

function FoundWords({ id, found, at, spot, onChoose }: FoundWordsProps) {
  if (spot === null) return null;
  const style = { top: `${spot.top}px`, left: `${spot.left}px`, maxWidth: `min(34rem, 100% - ${spot.left}px)` };
  return (
    <div role="listbox" id={`${id}-found`} aria-label={words.suggested} style={style}>
      {found.map((one, index) => (
        <div
          key={one.word}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          tabIndex={-1}
          onMouseDown={(event) => {
            // The area keeps the focus.
            event.preventDefault();
            onChoose(one);
          }}
        >
          <code>{one.word}</code> <span class="small">{one.detail}</span>
        </div>
      ))}
    </div>
  );
}

/** Where a character of an area is drawn: below it, in a copy of the area with the same letters and breaks. */
function spotOf(area: HTMLTextAreaElement, index: number): Spot {
  const copy = document.createElement("div");
  const mark = document.createElement("span");
  const { font, padding, lineHeight } = getComputedStyle(area);
  copy.className = "copy";
  Object.assign(copy.style, { font, padding, width: `${area.clientWidth}px` });
  copy.textContent = area.value.slice(0, index);
  mark.textContent = "\u200b";
  copy.append(mark);
  area.parentElement?.append(copy);
  const top = area.offsetTop + mark.offsetTop - area.scrollTop + Number.parseFloat(lineHeight) + 2;
  const left = Math.min(area.offsetLeft + mark.offsetLeft, Math.max(0, area.clientWidth - 240));
  copy.remove();
  return { top, left };
}
