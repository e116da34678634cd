export interface FairLineOptions {
  /** The most items in progress at once. */
  readonly atOnce: number;
  /** The most items of one share in progress, so that others find a free place. */
  readonly atOnceOfOne: number;
  readonly mostWaiting: number;
  readonly mostWaitingOfOne: number;
}

/**
 * Decides who is next for a few places. Shares take turns: however much the others ask for, a new share waits for at most one item of each.
 */
export interface FairLine<Item> {
  /**
   * Queues an item behind its share's others. Returns what doesn't fit: `null` for nothing, the item itself or, if the line is full, the
   * last item of the longest share.
   */
  join(share: string, item: Item): Item | null;
  /** The next item, which takes a place now; `null` if none may start. */
  next(): Item | null;
  /** Frees the place of a share's item. */
  end(share: string): void;
  /** Removes a waiting item; false if it isn't waiting. */
  leave(share: string, item: Item): boolean;
  waiting(share: string): readonly Item[];
  isAtWork(share: string): boolean;
}

interface Share<Item> {
  readonly waiting: Item[];
  atWork: number;
}

/** Creates an empty line. It has no clock and no callbacks: its owner asks for the next item. */
export function createFairLine<Item>(options: FairLineOptions): FairLine<Item> {
  const { atOnce, atOnceOfOne, mostWaiting, mostWaitingOfOne } = options;
  /** In the order of their turns. */
  const shares = new Map<string, Share<Item>>();
  let waiting = 0;
  let atWork = 0;

  function forgetIfIdle(name: string, share: Share<Item>): void {
    if (share.waiting.length === 0 && share.atWork === 0) shares.delete(name);
  }

  /** Removes the last item of the longest share, if it has more than this many. */
  function lastOfTheLongest(than: number): Item | undefined {
    const longest = [...shares.values()].reduce<Item[]>(
      (most, share) => (share.waiting.length > most.length ? share.waiting : most),
      [],
    );
    if (longest.length <= than) return undefined;
    waiting -= 1;
    return longest.pop();
  }

  return {
    join(name, item) {
      const share = shares.get(name) ?? { waiting: [], atWork: 0 };
      if (share.waiting.length >= mostWaitingOfOne) return item;
      const displaced = waiting < mostWaiting ? null : lastOfTheLongest(share.waiting.length + 1);
      if (displaced === undefined) return item;
      shares.set(name, share);
      share.waiting.push(item);
      waiting += 1;
      return displaced;
    },
    next() {
      if (atWork >= atOnce) return null;
      for (const [name, share] of shares) {
        if (share.atWork >= atOnceOfOne) continue;
        const item = share.waiting.shift();
        if (item === undefined) continue;
        // Its turn is over: all other shares come before its next one.
        shares.delete(name);
        shares.set(name, share);
        share.atWork += 1;
        atWork += 1;
        waiting -= 1;
        return item;
      }
      return null;
    },
    end(name) {
      const share = shares.get(name);
      if (share === undefined || share.atWork === 0) return;
      share.atWork -= 1;
      atWork -= 1;
      forgetIfIdle(name, share);
    },
    leave(name, item) {
      const share = shares.get(name);
      const at = share?.waiting.indexOf(item) ?? -1;
      if (share === undefined || at < 0) return false;
      share.waiting.splice(at, 1);
      waiting -= 1;
      forgetIfIdle(name, share);
      return true;
    },
    waiting: (name) => shares.get(name)?.waiting ?? [],
    isAtWork: (name) => (shares.get(name)?.atWork ?? 0) > 0,
  };
}
