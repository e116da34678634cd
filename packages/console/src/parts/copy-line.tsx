import { useSignal } from "@preact/signals";
import { texts } from "../texts.ts";

/** A line to paste elsewhere, with a button that copies it. */
export function CopyLine({ line }: { readonly line: string }) {
  return (
    <div class="copy-line">
      <code>{line}</code>
      <CopyButton text={line} label={`${texts.parts.copy}: ${line}`} />
    </div>
  );
}

/** A button that copies a text. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const isCopied = useSignal(false);
  async function copy(): Promise<void> {
    // Pages without TLS have no clipboard: the text can be selected.
    await navigator.clipboard?.writeText(text);
    isCopied.value = navigator.clipboard !== undefined;
  }
  return (
    <button type="button" class="plain" onClick={() => void copy()} aria-label={label}>
      {isCopied.value ? texts.parts.copied : texts.parts.copy}
    </button>
  );
}
