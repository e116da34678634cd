/** One way to break the agent: what stands in a file, and what would stand there. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** One that finds it soon. Another one is looked for when it doesn't any more. */
  readonly seed: number;
  /** Worlds in which existing resources are adopted find it. */
  readonly adopts?: true;
  /** Worlds with leases find it. */
  readonly leased?: true;
  /** Worlds in which something never heals find it. */
  readonly forever?: true;
  /** Varied worlds find it. */
  readonly varied?: true;
}
