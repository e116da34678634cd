import type { ComponentChildren } from "preact";

interface PageHeadProps {
  readonly title: string;
  /** Links to the pages above. */
  readonly within?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A page's head: where it belongs, its title, and its actions. */
export function PageHead({ title, within, children }: PageHeadProps) {
  return (
    <div class="head">
      {within !== undefined && <p class="within small">{within}</p>}
      <h1>{title}</h1>
      {children}
    </div>
  );
}
