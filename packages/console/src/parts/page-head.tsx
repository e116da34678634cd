import type { ComponentChildren } from "preact";

/** A page's head: its name, and what can be done on it. */
export function PageHead({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="head">
      <h1>{title}</h1>
      {children}
    </div>
  );
}
