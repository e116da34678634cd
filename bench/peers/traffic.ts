/** The initial contents of the servers in the traffic comparison. */
export const callers = 200;
export const environmentsEach = 20;

/** A caller of the traffic. */
export interface TrafficCaller {
  readonly token: string;
  readonly ownerId: string;
}

export const nameOf = (at: number) => `env-${String(at).padStart(4, "0")}`;
