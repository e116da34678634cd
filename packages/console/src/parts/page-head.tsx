import type { ComponentChildren } from "preact";

interface PageHeadProps {
  readonly title: string;
  /** The ways up to what it is in. */
  readonly within?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A page's head: what it is in, its name, and what can be done on it. */
export function PageHead({ title, within, children }: PageHeadProps) {
  return (
    <div class="head">
      {within !== undefined && <p class="within small">{within}</p>}
      <h1>{title}</h1>
      {children}
    </div>
  );
}
