import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** How far outside the viewport something counts as near. */
const margin = "800px";

const coming = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

/** One observer for all: ten thousand would cost more than they save. */
function observed(element: Element, onNear: () => void): () => void {
  observer ??= new IntersectionObserver(
    (entries, own) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        own.unobserve(target);
        coming.get(target)?.();
      }
    },
    { rootMargin: margin },
  );
  const own = observer;
  coming.set(element, onNear);
  own.observe(element);
  return () => own.unobserve(element);
}

/** A place in a long list, and whether to draw it. */
export interface NearSight<E extends Element> {
  readonly place: RefObject<E | null>;
  readonly isNear: boolean;
}

/** Reports when a place comes near the viewport; then it stays drawn. With `isAtOnce`, it is drawn from the start. */
export function useNearSight<E extends Element>({ isAtOnce }: { readonly isAtOnce: boolean }): NearSight<E> {
  const place = useRef<E>(null);
  const isNear = useSignal(isAtOnce);
  useEffect(() => {
    if (isNear.value || place.current === null) return;
    return observed(place.current, () => {
      isNear.value = true;
    });
  }, [isNear]);
  return { place, isNear: isNear.value };
}
