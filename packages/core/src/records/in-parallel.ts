/** Runs work for each item, this many at a time; the first failure is thrown after all started work has ended. */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const item = items[next++] as T;
      await work(item);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, worker));
  const failure = ended.find((end) => end.status === "rejected");
  if (failure !== undefined) throw failure.reason;
}

/** Lets this many pass at a time. */
export function createSlots(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let open = limit;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (open === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else open -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) open += 1;
      else next();
    }
  };
}
