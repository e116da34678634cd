import type { ComponentChildren } from "preact";
import { useWorkplace } from "../app/workplace.ts";

/** A link to a component's page; hosts of the elements may handle it themselves. */
export function ComponentLink({ id, children }: { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <a href={useWorkplace().componentLink(id)} data-component={id}>
      {children}
    </a>
  );
}
