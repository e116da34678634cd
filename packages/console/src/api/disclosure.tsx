import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

interface DisclosureProps {
  readonly summary: ComponentChildren;
  /** Made once it is opened: schemas refer to each other without an end. */
  readonly content: () => ComponentChildren;
}

/** A part that is shown on demand. */
export function Disclosure({ summary, content }: DisclosureProps) {
  const isOpened = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => (isOpened.value ||= currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpened.value && content()}
    </details>
  );
}
