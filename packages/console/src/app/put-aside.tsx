import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface PutAsideProps {
  /** Something else is shown instead; typed input stays. */
  readonly isAway: boolean;
  readonly children: ComponentChildren;
}

/** Pages that can be hidden and shown again with the keyboard focus where it was. */
export function PutAside({ isAway, children }: PutAsideProps) {
  const last = useRef<Element | null>(null);
  if (isAway) last.current ??= document.activeElement;
  useEffect(() => {
    if (isAway || !(last.current instanceof HTMLElement)) return;
    last.current.focus();
    last.current = null;
  }, [isAway]);
  return (
    <div class="aside" hidden={isAway}>
      {children}
    </div>
  );
}
