/** The texts of the events. */
export const eventTexts = {
  title: "Events",
  type: "Type",
  typeHint: "component.override",
  subject: "Subject or person",
  subjectHint: "part of an ID or name",
  period: "Time",
  periods: { hour: "last hour", "12h": "last 12 hours", day: "last 24 hours", week: "last 7 days" },
  run: (count: number) => `${count} times in`,
  each: "Show each",
  columns: ["Number", "When", "Type", "Subject", "By", "More"],
  more: "Details",
  none: "No events match, or you can't see those that do.",
  count: (count: number) => (count === 1 ? "1 event" : `${count} events`),
  save: "Save as JSON Lines",
  earlier: "Load earlier events",
  expired: "Earlier events are no longer kept.",
} as const;
