import { signal } from "@preact/signals";
import { texts } from "../texts.ts";

/** How far the clock of the pages may be behind. */
export const tickMs = 10_000;

/** The current time, for ages. It advances every ten seconds while the page is visible. */
export const present = signal(Date.now(), {
  watched() {
    present.value = Date.now();
    timer = setInterval(() => {
      present.value = Date.now();
    }, tickMs);
  },
  unwatched: () => clearInterval(timer),
});
let timer: ReturnType<typeof setInterval> | undefined;

/** Whether times are shown exactly instead of as ages. */
export const isExact = signal(false);

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

const ages = new Intl.RelativeTimeFormat(texts.language.ages, { numeric: "always", style: "short" });

/** The distance of an instant from now: `3 hr. ago`, `in 2 days`. */
export function relativeTime(at: number, now: number): string {
  const away = at - now;
  const [unit, length] = units.find(([, span]) => Math.abs(away) >= span) ?? [null, 1];
  // The clock may be ten seconds behind: an instant slightly ahead has happened.
  if (unit === null) return away > tickMs ? texts.times.soon : texts.times.now;
  return ages.format(Math.trunc(away / length), unit);
}

/** A duration in its two largest units: `3 d 4 h`. */
export function lasted(since: number, now: number): string {
  const minutes = Math.max(0, Math.floor((now - since) / 60_000));
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  if (days > 0) return texts.times.days(days, hours);
  if (hours > 0) return texts.times.hours(hours, rest);
  return rest > 0 ? texts.times.minutes(rest) : texts.times.moment;
}

const exact = new Intl.DateTimeFormat(texts.language.dates, { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(texts.language.dates, { timeStyle: "short" });

/** An exact instant, in the reader's time zone. */
export function exactTime(at: number): string {
  return exact.format(at);
}

/** The time of day: `12:04`. */
export function timeOfDay(at: Date): string {
  return clock.format(at);
}

/** The time of day for an instant in the last twelve hours, otherwise with its date. */
export function momentOf(at: string, now: number): string {
  const time = Date.parse(at);
  return Math.abs(now - time) < 12 * 3_600_000 ? timeOfDay(new Date(time)) : exactTime(time);
}
