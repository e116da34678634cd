/** What a mark says, by its own shape and not by its colour alone. The words next to it say the same. */
export type MarkKind = "yes" | "no" | "open" | "unknown";

const shapes: Readonly<Record<MarkKind, string>> = { yes: "✓", no: "✕", open: "◐", unknown: "?" };

/** A small sign for those who see. */
export function Mark({ kind }: { readonly kind: MarkKind }) {
  return (
    <span class={`mark ${kind}`} aria-hidden="true">
      {shapes[kind]}
    </span>
  );
}

/** The mark of what is so, isn't, or isn't known. */
export function markOf(value: boolean | null): MarkKind {
  if (value === null) return "unknown";
  return value ? "yes" : "no";
}
