/**
 * Whether a rest that was to end at an instant of the wall clock still lasts. One that had longer to go than it is long at all was
 * written by a clock that has been put back since, and is over: nothing waits for a clock to catch up.
 */
export function isResting(until: number, lengthMs: number, now: number): boolean {
  return until > now && until - now <= lengthMs;
}
