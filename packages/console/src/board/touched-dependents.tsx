import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useWorkplace } from "../app/workplace.ts";
import { texts } from "../texts.ts";
import type { BoardOverride } from "./override-lanes.ts";

/** How many components use its changed outputs. Requested once per version, when visible, because a board may be long. */
export function TouchedDependents({ component }: Pick<BoardOverride, "component">) {
  const { api } = useWorkplace();
  const count = useSignal(0);
  const place = useRef<HTMLParagraphElement>(null);
  const { livesystemId: id, id: componentId, version } = component;
  useEffect(() => {
    const gone = new AbortController();
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      api.liveSystems.components.adoptionPlan({ id, componentId }, { signal: gone.signal }).then(
        ({ dependents }) => {
          count.value = new Set(dependents.filter(({ changed }) => changed).map((one) => one.componentId)).size;
        },
        // The card is useful without it.
        () => {},
      );
    });
    if (place.current !== null) seen.observe(place.current);
    return () => {
      seen.disconnect();
      gone.abort();
    };
  }, [api, id, componentId, version, count]);
  return (
    <p ref={place} class="small dependents">
      {count.value > 0 && texts.board.dependents(count.value)}
    </p>
  );
}
