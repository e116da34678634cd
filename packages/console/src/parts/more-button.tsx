import type { Signal } from "@preact/signals";
import { texts } from "../texts.ts";

interface MoreButtonProps {
  /** How many are shown at most. */
  readonly most: Signal<number>;
  /** How many there are. */
  readonly count: number;
  /** How many more are shown at a time. */
  readonly lot: number;
}

/** Shows more of a list, if there are more. */
export function MoreButton({ most, count, lot }: MoreButtonProps) {
  if (count <= most.value) return null;
  return (
    <button type="button" class="quiet more" onClick={() => (most.value += lot)}>
      {texts.board.more}
    </button>
  );
}
