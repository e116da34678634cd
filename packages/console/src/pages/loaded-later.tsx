import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { FailureNotice } from "../parts/notice.tsx";

type LaterPages = typeof import("./later-pages.ts")["laterPages"];

let pages: LaterPages | null = null;

/** A rarely used page, loaded together with the others when somebody first opens one. */
export function loadedLater(name: keyof LaterPages): ComponentType {
  return function LoadedLater() {
    const isHere = useSignal(pages !== null);
    const failure = useSignal<unknown>(null);
    useEffect(() => {
      if (pages !== null) return;
      import("./later-pages.ts").then(
        ({ laterPages }) => {
          pages = laterPages;
          isHere.value = true;
        },
        (error: unknown) => {
          failure.value = error;
        },
      );
    }, [isHere, failure]);
    const View = isHere.value ? pages?.[name] : undefined;
    return View === undefined ? <FailureNotice error={failure.value} /> : <View />;
  };
}
