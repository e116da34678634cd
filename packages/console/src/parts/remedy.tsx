import { remedyFor } from "@liveplane/client/remedies";
import { texts } from "../texts.ts";

/** What to do about a failure of a deploy, or of one component. */
export function Remedy({ code }: { readonly code: string }) {
  return (
    <p>
      <strong>{texts.parts.remedy}</strong> {remedyFor(code)}
    </p>
  );
}
