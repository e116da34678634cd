import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

interface DisclosureProps {
  readonly summary: ComponentChildren;
  /** Created when it is opened, because schemas may refer to each other endlessly. */
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
