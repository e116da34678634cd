import type { Override } from "../protocol/lifecycle.ts";

/** A reminder that has fallen due, and why. `mark` goes into the override, so that it goes out once. */
export interface Reminder {
  readonly mark: string;
  readonly because: "remindAt" | "until" | "age";
  readonly hours: number | null;
}

const hourMs = 3_600_000;

/** The reminders that are due and haven't gone out. An override never ends by itself, however old: it only gets loud. */
export function dueReminders(override: Override, now: number, overdueHours: readonly number[]): Reminder[] {
  const { since, remindAt, said, reminded } = override;
  const due: Reminder[] = [];
  const ageHours = (now - Date.parse(since)) / hourMs;
  for (const hours of overdueHours) {
    const mark = `age:${hours}`;
    if (ageHours >= hours && !reminded.includes(mark)) due.push({ mark, because: "age", hours });
  }
  const named = { remindAt, until: said?.until ?? null };
  for (const because of ["remindAt", "until"] as const) {
    const mark = `${marks[because]}:${named[because]}`;
    const isDue = named[because] !== null && Date.parse(named[because]) <= now;
    if (isDue && !reminded.includes(mark)) due.push({ mark, because, hours: null });
  }
  return due;
}

const marks = { remindAt: "at", until: "until" } as const;
