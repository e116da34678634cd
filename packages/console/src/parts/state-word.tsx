import type { ComponentChildren } from "preact";

/** How something stands, as far as it matters to somebody who looks over a list. */
export type StateTone = "good" | "bad" | "busy" | "calm" | "hand";

/** The shape of each tone. */
export const toneShapes: Readonly<Record<StateTone, string>> = { good: "●", bad: "✕", busy: "◐", calm: "○", hand: "◆" };

/** A state in a word, with a shape of its own beside the colour. */
export function StateWord({ tone, children }: { readonly tone: StateTone; readonly children: ComponentChildren }) {
  return (
    <span class={`state ${tone}`}>
      <span aria-hidden="true">{toneShapes[tone]}</span> {children}
    </span>
  );
}
