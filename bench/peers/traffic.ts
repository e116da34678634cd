/** What the servers of the traffic comparison hold at the start. */
export const callers = 200;
export const environmentsEach = 20;

/** A caller of the traffic. */
export interface TrafficCaller {
  readonly token: string;
  readonly ownerId: string;
}

export const nameOf = (at: number) => `env-${String(at).padStart(4, "0")}`;
