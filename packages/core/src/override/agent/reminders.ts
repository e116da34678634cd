import type { Override } from "../protocol/lifecycle.ts";

/** A reminder that is due, and why. The override stores `mark`, so each one is sent once. */
export interface Reminder {
  readonly mark: string;
  readonly because: "remindAt" | "until" | "age";
  readonly hours: number | null;
}

const hourMs = 3_600_000;

/** The reminders that are due and weren't sent. An override never ends by itself, however old: there are only reminders. */
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
