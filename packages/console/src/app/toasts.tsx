import { type Signal, useSignal } from "@preact/signals";

/** How long a message is shown. */
const shownMs = 6000;

interface Toast {
  readonly id: number;
  readonly text: string;
}

/** Messages of what happened. */
export interface Toasts {
  readonly shown: Signal<readonly Toast[]>;
  tell(text: string): void;
}

/** The messages of a page. */
export function useToasts(): Toasts {
  const shown = useSignal<readonly Toast[]>([]);
  const next = useSignal(0);
  return {
    shown,
    tell(text) {
      const id = next.peek();
      next.value = id + 1;
      shown.value = [...shown.peek(), { id, text }];
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
