import { type Signal, useSignal } from "@preact/signals";

/** How long a message is shown. */
const shownMs = 6000;

/** What was said this recently is about what led to the next page. */
const recentMs = 1000;

interface Toast {
  readonly id: number;
  readonly saidAt: number;
  readonly text: string;
}

/** Messages of what happened. */
export interface Toasts {
  readonly shown: Signal<readonly Toast[]>;
  tell(text: string): void;
  /** Removes what was said about the page that somebody has left. */
  leavePage(): void;
}

/** The messages of a page. */
export function useToasts(): Toasts {
  const shown = useSignal<readonly Toast[]>([]);
  const next = useSignal(0);
  const leavePage = () => {
    shown.value = shown.peek().filter(({ saidAt }) => performance.now() - saidAt < recentMs);
  };
  return {
    shown,
    leavePage,
    tell(text) {
      const id = next.peek();
      next.value = id + 1;
      shown.value = [...shown.peek(), { id, text, saidAt: performance.now() }];
      setTimeout(() => {
        shown.value = shown.peek().filter((one) => one.id !== id);
      }, shownMs);
    },
  };
}

/** Shows the messages, and has screen readers say them. */
export function ToastList({ toasts }: { readonly toasts: Toasts }) {
  return (
    <div class="toasts" role="status">
      {toasts.shown.value.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
