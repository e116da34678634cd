import { present } from "../app/clock.ts";
import { texts } from "../texts.ts";
import { Instant } from "./instant.tsx";

/** When something is to end, or was to. */
export function Ending({ at }: { readonly at: string }) {
  const isPast = Date.parse(at) <= present.value;
  return (
    <span class={isPast ? "late" : ""}>
      {texts.times[isPast ? "wasToEnd" : "ends"]} <Instant at={at} />
    </span>
  );
}
