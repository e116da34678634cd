import { initialsOf } from "../app/names.ts";
import { useWorkplace } from "../app/workplace.ts";

/** Somebody's name with their initials. */
export function Person({ text }: { readonly text: string }) {
  const name = useWorkplace().names.in(text);
  return (
    <span class="person" title={text}>
      <span class="initials" aria-hidden="true">
        {initialsOf(name)}
      </span>
      {name}
    </span>
  );
}
