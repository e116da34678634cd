export interface FairLineOptions {
  /** How many may be at work at once. */
  readonly atOnce: number;
  /** How many of one share: others find a place free while it has much to do. */
  readonly atOnceOfOne: number;
  readonly mostWaiting: number;
  readonly mostWaitingOfOne: number;
}

/**
 * Who comes next, among many who share a few places. Shares take turns: however much the others ask for, anyone who comes waits
 * for at most one item of each of them.
 */
export interface FairLine<Item> {
  /**
   * Takes an item in behind its share's others. Answers whom there is no room for: nobody (`null`), the item itself, or, where
   * the line is full, the last of the share that has most in it.
   */
  join(share: string, item: Item): Item | null;
  /** The item whose turn it is, which has a place from here on; `null`: none may begin. */
  next(): Item | null;
  /** Returns the place of an item of that share. */
  end(share: string): void;
  /** Takes out an item that waits; false: it doesn't. */
  leave(share: string, item: Item): boolean;
  waiting(share: string): readonly Item[];
  isAtWork(share: string): boolean;
}

interface Share<Item> {
  readonly waiting: Item[];
  atWork: number;
}

/** Creates an empty line. It has no clock and no callbacks: anyone who has it asks for the next one. */
export function createFairLine<Item>(options: FairLineOptions): FairLine<Item> {
  const { atOnce, atOnceOfOne, mostWaiting, mostWaitingOfOne } = options;
  /** In the order of their turns. */
  const shares = new Map<string, Share<Item>>();
  let waiting = 0;
  let atWork = 0;

  function forgetIfIdle(name: string, share: Share<Item>): void {
    if (share.waiting.length === 0 && share.atWork === 0) shares.delete(name);
  }

  /** Takes the last item of the share that has most waiting, if that is more than this many. */
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
        // Its turn is over: everybody else comes before its next one.
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
