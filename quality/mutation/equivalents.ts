/** A change that can't be noticed, because it changes nothing that anybody could see. */
export interface Equivalent {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export const equivalents: readonly Equivalent[] = [];
