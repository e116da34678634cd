/** Callers with enough environments for a long list come first. */
export const collectors = 20;
export const environmentsEach = 20;

/** How many environments a caller begins with. */
export const environmentsOf = (at: number) => (at < collectors ? 6 * environmentsEach : environmentsEach);

/** What a server of the traffic starts with. */
export interface TrafficWorld {
  readonly callers: number;
  /** With twenty members each. @default 0 */
  readonly organizations?: number;
  /** Of each environment. @default 0 */
  readonly changes?: number;
  /** Instead of SQLite. */
  readonly connectionString?: string;
  /** A folder that is there already, for SQLite. Without callers, the server opens what it contains. @default one that is removed */
  readonly folder?: string;
}

const membersEach = 20;

/** The members of an organization, its founder first. */
export function membersOf<Person>(at: number, people: readonly Person[]): Person[] {
  const members = Array.from({ length: membersEach }, (_, nth) => people[(at + nth * 31) % people.length] as Person);
  return [...new Set(members)];
}

/** A caller of the traffic. */
export interface TrafficCaller {
  readonly token: string;
  readonly ownerId: string;
}

export const nameOf = (at: number) => `env-${String(at).padStart(4, "0")}`;
