import { isLiveplaneError, type LiveplaneEvent } from "@liveplane/client";
import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useWorkplace } from "./workplace.ts";

/** A value as last read. */
export interface Loaded<T> {
  /** `null` if it was never read. */
  readonly value: T | null;
  /** Why the last read failed; the earlier value stays, unless there is nothing any more that this person may see. */
  readonly error: unknown;
  readonly isLoading: boolean;
}

/** How a value is read. */
export interface Loading<T> {
  readonly load: (signal: AbortSignal) => Promise<T>;
  /** Identifies the value: a new key starts over. */
  readonly key: string;
  /** What narrows the value: another reads again, and the earlier value stays until then. */
  readonly narrowing?: string | undefined;
  /** Whether an event may have changed it. Without it, it is read once. */
  readonly isTouchedBy?: (event: LiveplaneEvent) => boolean;
  /** Reads again this often while the page is seen: for what changes without an event. @default a minute, unless it is read once */
  readonly againMs?: number | undefined;
}

/** A value that can be read again. */
export interface Reloadable<T> {
  readonly loaded: ReadonlySignal<Loaded<T>>;
  reload(): Promise<void>;
}

/** Events come in bursts: one read serves all within this time, or within five times the duration of a read. */
const gatherMs = 250;
/** Nobody hears of what they may no longer see: a read finds it out. */
const minuteMs = 60_000;

/** Reads a value, and again after a relevant event, or if some may have been missed. */
export function useLoaded<T>({ load, key, narrowing, isTouchedBy, ...often }: Loading<T>): Reloadable<T> {
  const { againMs = isTouchedBy && minuteMs } = often;
  const { live } = useWorkplace();
  const current = useRef({ load, isTouchedBy });
  current.current = { load, isTouchedBy };
  const reader = useMemo(() => createReader<T>((signal) => current.current.load(signal)), [key]);
  useEffect(() => {
    void reader.reload();
    const stop = live.listen((event) => {
      if (event === null || current.current.isTouchedBy?.(event)) reader.touch();
    });
    return () => {
      stop();
      reader.end();
    };
  }, [reader, live, narrowing]);
  useEffect(() => {
    if (againMs === undefined) return;
    const again = () => !document.hidden && !reader.loaded.value.isLoading && void reader.reload();
    const timer = setInterval(again, againMs);
    return () => clearInterval(timer);
  }, [reader, againMs]);
  return reader;
}

function createReader<T>(load: (signal: AbortSignal) => Promise<T>) {
  const loaded = signal<Loaded<T>>({ value: null, error: null, isLoading: true });
  let turn = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastMs = 0;

  /** Reads again and cancels a running read. */
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
      const isGone = isLiveplaneError(error, "NotFound");
      loaded.value = { value: isGone ? null : loaded.value.value, error, isLoading: false };
    }
    lastMs = performance.now() - begun;
  }

  return {
    loaded,
    reload,
    /** Reads again soon, after any running read. */
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
