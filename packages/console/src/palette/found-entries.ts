/** Something that the palette leads to. */
export interface PaletteEntry {
  readonly kind: "page" | "component" | "liveSystem" | "environment" | "person";
  readonly text: string;
  /** Tells entries with the same text apart, such as a type or an owner. */
  readonly detail: string;
  readonly href: string;
}

/**
 * The entries that contain all words, best first: those that begin with the words, then those with a part of the name that does. Equal
 * ones keep their order.
 */
export function foundEntries(all: readonly PaletteEntry[], words: string, most: number): PaletteEntry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked: PaletteEntry[][] = [[], [], []];
  for (const entry of all) {
    const rank = rankOf(`${entry.text} ${entry.detail}`.toLowerCase(), wanted);
    if (rank !== null) ranked[rank]?.push(entry);
  }
  return ranked.flat().slice(0, most);
}

/** How well a text fits; `null`: not at all. */
function rankOf(text: string, wanted: readonly string[]): 0 | 1 | 2 | null {
  if (!wanted.every((word) => text.includes(word))) return null;
  const [first = ""] = wanted;
  if (text.startsWith(first)) return 0;
  return text.split(/[\s/._-]/).some((part) => part.startsWith(first)) ? 1 : 2;
}
