/** The texts of the events. */
export const eventTexts = {
  title: "Events",
  type: "Type",
  typeHint: "component.override",
  subject: "Subject or person",
  subjectHint: "part of an ID or name",
  columns: ["Number", "When", "Type", "Subject", "By", "More"],
  more: "Details",
  none: "No events match, or you can't see those that do.",
  count: (count: number) => (count === 1 ? "1 event" : `${count} events`),
  save: "Save as JSON Lines",
  earlier: "Load earlier events",
  expired: "Earlier events are no longer kept.",
} as const;
