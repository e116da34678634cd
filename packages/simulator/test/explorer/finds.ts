/** Where the explorer has found a mistake by itself. */
export interface Find {
  readonly within: string;
  /** By so many schedules. */
  readonly schedules: number;
}

/** So many of the mistakes it finds at least. */
export const leastFound = 30;

/** Within which bounds each mistake was found, and by how many schedules. */
export const finds: ReadonlyMap<string, Find> = new Map(
  Object.entries<readonly [string, number]>({
    "writes without the reread, where writes can't be bound to an etag": ["bare [2, 1] of a crossing", 168],
    "writes without the etag": ["one [2, 1] of a crossing", 168],
    "takes unreadable for untagged": ["one [1, 0] of all", 56],
    "forgets the drift of what can't be read": ["one [1, 0] of all", 56],
    "creates without an intent": ["bare [2, 0] of losses", 51],
    "keeps a stray reconcile tag": ["one [1, 0] of all", 6],
    "removes the reconcile tag before it has verified": ["one [1, 0] of all", 70],
    "recreates what a person deleted, unasked": ["one [2, 0] of the protocol", 30],
    "corrects what a person holds when it is deployed": ["one [1, 0] of all", 70],
    "stores what it saw over what others stored meanwhile": ["bare [2, 1] of a crossing", 71],
    "lets two workers write at once": ["bare [2, 0] of losses", 133],
    "sets the management tag when it corrects": ["owned [1, 0] of all", 21],
    "ends an override without telling of it": ["one [2, 0] of the protocol", 26],
    "keeps old outputs during an override": ["one [1, 0] of all", 70],
    "deletes what a person holds when it leaves the declaration": ["owned [1, 0] of all", 77],
    "corrects what another component stands for, while a person holds that": ["owned [2, 0] of a tag owner", 12],
    "keeps the id of what is gone, where the cloud chooses ids": ["bare [2, 0] of losses", 51],
    "forgets that what a person holds is gone": ["one [2, 0] of the protocol", 30],
    "a take-over isn't seen while nothing differs": ["one [1, 0] of all", 3],
    "waits for nothing when the tag is off": ["one [1, 0] of all", 3],
    "an overridden component ignores a redeploy": ["one [1, 0] of all", 70],
    "lets Active components stay that left the declaration": ["one [1, 0] of all", 1],
    "deletes in the reversed order": ["one [1, 0] of all", 1],
    "never closes an episode": ["one [1, 0] of all", 70],
    "doesn't tell that it corrected": ["one [1, 0] of all", 1],
    "ignores the length of lists": ["two [2, 0] of parameters", 16],
    "the management tag alone re-adopts with drift": ["one [3, 0] of a hand-back", 157],
    "a request is granted without looking at the drift": ["one [3, 0] of a hand-back", 20],
    "a redeploy doesn't provision what is missing": ["two [2, 0] of a deploy", 33],
    "re-adopts a recreated resource by tags": ["one [3, 0] of a hand-back", 234],
    "doesn't wait for what a component depends on": ["two [2, 0] of a deploy", 1],
    "makes a resource without the management tag": ["one [1, 0] of all", 1],
    "reports an override under the wrong status": ["one [1, 0] of all", 3],
    "closes an episode as another one": ["one [2, 0] of the protocol", 26],
    "doesn't name what a person holds": ["owned [2, 0] of a tag owner", 13],
    "lets two components have one resource": ["one [1, 0] of all", 27],
    "plans nothing where it deletes": ["one [1, 0] of all", 26],
    "doesn't name what it released": ["owned [1, 0] of all", 30],
    "corrects what is left to the cloud": ["two [1, 0] of all", 46],
  }).map(([name, [within, schedules]]) => [name, { within, schedules }]),
);
