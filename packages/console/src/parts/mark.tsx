/** The meaning of a mark, shown by its shape and not only by its colour. The text beside it says the same. */
export type MarkKind = "yes" | "no" | "open" | "unknown";

const shapes: Readonly<Record<MarkKind, string>> = { yes: "✓", no: "✕", open: "◐", unknown: "?" };

/** A small decorative sign. */
export function Mark({ kind }: { readonly kind: MarkKind }) {
  return (
    <span class={`mark ${kind}`} aria-hidden="true">
      {shapes[kind]}
    </span>
  );
}

/** The mark for true, false or unknown. */
export function markOf(value: boolean | null): MarkKind {
  if (value === null) return "unknown";
  return value ? "yes" : "no";
}
