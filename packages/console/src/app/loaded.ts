import { isLiveplaneError, type LiveplaneEvent } from "@liveplane/client";
import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useWorkplace } from "./workplace.ts";

/** Something that is shown as it was when it was last read. */
export interface Loaded<T> {
  /** `null`: it was never read. */
  readonly value: T | null;
  /** Why the last reading failed; the value from before stays. */
  readonly error: unknown;
  readonly isLoading: boolean;
}

/** How something is read. */
export interface Loading<T> {
  readonly load: (signal: AbortSignal) => Promise<T>;
  /** What it is that is read: another one begins again. */
  readonly key: string;
  /** Whether an event may have changed it. */
  readonly isTouchedBy: (event: LiveplaneEvent) => boolean;
}

/** Something that is read, and read again. */
export interface Reloadable<T> {
  readonly loaded: ReadonlySignal<Loaded<T>>;
  reload(): Promise<void>;
}

/** Events come in flocks: it is read once for those of this long, or of five times as long as reading takes. */
const gatherMs = 250;

/** Reads something, and reads it again when an event touches it, or some may have been missed. */
export function useLoaded<T>({ load, key, isTouchedBy }: Loading<T>): Reloadable<T> {
  const { live } = useWorkplace();
  const current = useRef({ load, isTouchedBy });
  current.current = { load, isTouchedBy };
  const reader = useMemo(() => createReader<T>((signal) => current.current.load(signal)), [key]);
  useEffect(() => {
    void reader.reload();
    const stop = live.listen((event) => {
      if (event === null || current.current.isTouchedBy(event)) reader.touch();
    });
    return () => {
      stop();
      reader.end();
    };
  }, [reader, live]);
  return reader;
}

function createReader<T>(load: (signal: AbortSignal) => Promise<T>) {
  const loaded = signal<Loaded<T>>({ value: null, error: null, isLoading: true });
  let turn = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastMs = 0;

  /** Reads it again: a reading under way is given up. */
  async function reload(): Promise<void> {
    turn.abort();
    clearTimeout(timer);
    timer = undefined;
    const own = new AbortController();
    turn = own;
    loaded.value = { ...loaded.value, isLoading: true };
    const begun = performance.now();
    try {
      const value = await load(own.signal);
      if (!own.signal.aborted) loaded.value = { value, error: null, isLoading: false };
    } catch (error) {
      if (own.signal.aborted || isLiveplaneError(error, "Aborted")) return;
      loaded.value = { ...loaded.value, error, isLoading: false };
    }
    lastMs = performance.now() - begun;
  }

  return {
    loaded,
    reload,
    /** It may have changed: it is read soon, once what is being read is there. */
    touch(): void {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          if (loaded.value.isLoading) this.touch();
          else void reload();
        },
        Math.max(gatherMs, lastMs * 5),
      );
    },
    end(): void {
      turn.abort();
      clearTimeout(timer);
    },
  };
}
