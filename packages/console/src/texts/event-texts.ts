/** The texts of the events. */
export const eventTexts = {
  title: "Events",
  type: "Type",
  typeHint: "component.override",
  subject: "Subject or person",
  subjectHint: "a part of its id or name",
  columns: ["Number", "When", "Type", "Subject", "By", "More"],
  more: "What it says",
  none: "Nothing has happened that fits and that you may see.",
  count: (count: number) => (count === 1 ? "1 event" : `${count} events`),
  save: "Save as JSON lines",
  earlier: "Read earlier ones",
  expired: "Earlier events are no longer kept.",
} as const;
