import { remedyTexts as words } from "../texts/remedy-texts.ts";

/** What to do about a failure of a deploy, or of one component. */
export function Remedy({ code }: { readonly code: string }) {
  return (
    <p>
      <strong>{words.title}</strong> {words.byCode[code] ?? words.other}
    </p>
  );
}
