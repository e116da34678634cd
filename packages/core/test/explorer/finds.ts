/** Where the explorer has found a mistake by itself. */
export interface Find {
  readonly within: string;
  /** By so many schedules. */
  readonly schedules: number;
}

/** So many of the mistakes it finds at least. */
export const leastFound = 10;

/** Within which bounds each mistake was found, and by how many schedules. */
export const finds: ReadonlyMap<string, Find> = new Map(
  Object.entries<readonly [string, number]>({
    "takes unreadable for untagged": ["one [1, 0] of all", 54],
    "forgets the drift of what can't be read": ["one [1, 0] of all", 54],
    "creates without an intent": ["bare [2, 0] of losses", 51],
    "keeps a stray reconcile tag": ["one [1, 0] of all", 6],
    "removes the reconcile tag before it has verified": ["one [1, 0] of all", 65],
    "makes what a person deleted anew, unasked": ["one [3, 0] of a hand-over", 18],
    "corrects what a person holds when it is deployed": ["one [1, 0] of all", 65],
    "stores what it saw over what others stored meanwhile": ["one [1, 1] of a hand-over", 100],
    "lets two workers write at once": ["bare [2, 0] of losses", 133],
    "keeps old outputs during an override": ["one [1, 0] of all", 65],
  }).map(([name, [within, schedules]]) => [name, { within, schedules }]),
);
