/** Callers with enough environments for a long list come first. */
export const collectors = 20;
export const environmentsEach = 20;

/** How many environments a caller begins with. */
export const environmentsOf = (at: number) => (at < collectors ? 6 * environmentsEach : environmentsEach);

/** A caller of the traffic. */
export interface TrafficCaller {
  readonly token: string;
  readonly ownerId: string;
}

export const nameOf = (at: number) => `env-${String(at).padStart(4, "0")}`;
