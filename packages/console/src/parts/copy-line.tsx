import { useSignal } from "@preact/signals";
import { texts } from "../texts.ts";

/** A line to paste elsewhere, with a button that copies it. */
export function CopyLine({ line }: { readonly line: string }) {
  const isCopied = useSignal(false);
  async function copy(): Promise<void> {
    // Pages without TLS have no clipboard; the line can be selected.
    await navigator.clipboard?.writeText(line);
    isCopied.value = navigator.clipboard !== undefined;
  }
  return (
    <div class="copy-line">
      <code>{line}</code>
      <button type="button" class="plain" onClick={() => void copy()} aria-label={`${texts.parts.copy}: ${line}`}>
        {isCopied.value ? texts.parts.copied : texts.parts.copy}
      </button>
    </div>
  );
}
