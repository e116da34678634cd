import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** So far out of sight something is told that it is coming. */
const margin = "800px";

const coming = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

/** One observer for all: ten thousand of them would cost more than what they spare. */
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

/** A place in a long list, and whether it is to be drawn. */
export interface NearSight<E extends Element> {
  readonly place: RefObject<E | null>;
  readonly isNear: boolean;
}

/** Says of a place when it comes near to what is in sight; from then on it stays so. Where `isAtOnce`, it is from the beginning. */
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
