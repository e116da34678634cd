import { useWorkplace } from "../app/workplace.ts";

/** A text with names instead of the IDs in it, which it shows on request. */
export function Named({ text }: { readonly text: string }) {
  return <span title={text}>{useWorkplace().names.in(text)}</span>;
}
