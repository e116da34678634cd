import type { ComponentChildren } from "preact";

/** How serious a state is, for somebody who skims a list. */
export type StateTone = "good" | "bad" | "busy" | "calm" | "hand";

/** The shape of each tone. */
export const toneShapes: Readonly<Record<StateTone, string>> = { good: "●", bad: "✕", busy: "◐", calm: "○", hand: "◆" };

/** A state as a word, with a shape besides the colour. */
export function StateWord({ tone, children }: { readonly tone: StateTone; readonly children: ComponentChildren }) {
  return (
    <span class={`state ${tone}`}>
      <span aria-hidden="true">{toneShapes[tone]}</span> {children}
    </span>
  );
}
