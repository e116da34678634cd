import type { ComponentChildren } from "preact";
import { useWorkplace } from "../app/workplace.ts";

/** A link to a component's page, by whose address hosts of the elements go in their own way. */
export function ComponentLink({ id, children }: { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <a href={useWorkplace().componentLink(id)} data-component={id}>
      {children}
    </a>
  );
}
