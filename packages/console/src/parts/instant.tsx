import { exactTime, isExact, present, relativeTime } from "../app/clock.ts";

/** An instant as an age, with the exact time on demand. */
export function Instant({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  const exact = exactTime(time);
  return (
    <time dateTime={at} title={exact}>
      {isExact.value ? exact : relativeTime(time, present.value)}
    </time>
  );
}
