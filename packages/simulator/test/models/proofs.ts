import type { Proof } from "./spin.ts";

const liveness = ["takeOver", "handBack", "withdrawn", "deployEnds", "comesToRest"];

const component = (...bounds: string[]): Proof => ({ model: "component", with: bounds });
const live = (...bounds: string[]): Proof => ({ ...component(...bounds), properties: liveness });
const raced = (...bounds: string[]): Proof => ({ ...component(...bounds, "UNBOUND"), properties: ["raceReported"] });
const settled = (...bounds: string[]): Proof => ({
  model: "settled",
  with: bounds,
  properties: ["honest", "rests"],
});

/** One component is broken for ever; the properties are those of the other one. */
const neighbour = ["COMPONENTS=2", "BROKEN"];

/** Bounds that take seconds. */
export const short: readonly Proof[] = [
  component("DEEDS=3", "MISHAPS=1"),
  live("DEEDS=2", "MISHAPS=0"),
  ...[
    component("DEEDS=2", "MISHAPS=1", "UNBOUND"),
    component("DEEDS=2", "MISHAPS=1", "POLICY=resume"),
    component("DEEDS=2", "MISHAPS=1", "POLICY=wait"),
    component("DEEDS=1", "MISHAPS=1", "COMPONENTS=2"),
    raced("DEEDS=2", "MISHAPS=1"),
    live("DEEDS=1", "MISHAPS=0", ...neighbour),
    settled("DEEDS=4"),
  ].map((proof) => ({ ...proof, isShort: true })),
];

/** The published bounds. */
export const long: readonly Proof[] = [
  component("DEEDS=4", "MISHAPS=1"),
  component("DEEDS=3", "MISHAPS=2"),
  component("DEEDS=3", "MISHAPS=1", "UNBOUND"),
  component("DEEDS=3", "MISHAPS=1", "POLICY=resume"),
  component("DEEDS=3", "MISHAPS=1", "POLICY=wait"),
  component("DEEDS=2", "MISHAPS=1", "COMPONENTS=2"),
  live("DEEDS=2", "MISHAPS=1"),
  raced("DEEDS=2", "MISHAPS=2"),
  live("DEEDS=2", "MISHAPS=0", ...neighbour),
  settled("DEEDS=6", "LOST=2"),
];

const planted = (mistake: string, ...bounds: string[]) => component("DEEDS=3", "MISHAPS=1", `M_${mistake}`, ...bounds);

const honest = (mistake: string): Proof => ({ ...settled(mistake), properties: ["honest"] });

/** Models with one mistake each, which must be found. */
export const mutants: readonly Proof[] = [
  planted("ETAG_AFTER_DECISION"), // I1
  planted("NO_REREAD", "UNBOUND"), // I1
  planted("CORRECT_SETS_TAG", "UNBOUND"), // I2
  planted("UNTAG_UNVERIFIED"), // I3
  planted("DRIFT_KEPT"), // I4
  planted("UNREADABLE_IS_UNTAGGED"), // I5
  planted("ENDS_WITHOUT_TAG"), // I5
  { ...component("DEEDS=2", "MISHAPS=1", "M_NEVER_UNTAGS"), properties: ["comesToRest", "handBack"] }, // I6
  planted("EVENT_LOST"), // I7
  { ...component("DEEDS=2", "MISHAPS=1", "M_CLAIM_STAYS"), properties: ["takeOver"] }, // I8
  planted("SAVE_WITHOUT_COMPARE"), // I8
  { ...component("DEEDS=1", "MISHAPS=0", "M_BROKEN_FIRST", ...neighbour), properties: ["takeOver"] }, // I9
  planted("CORRECT_AT_REQUEST"), // I10
  planted("STALE_PERMISSION"), // I11
  planted("DELETE_RELEASED"), // I12
  planted("FORGETS_UNREADABLE"), // I14
  { ...component("DEEDS=2", "MISHAPS=1", "M_DEPLOY_WAITS_FOR_PEOPLE"), properties: ["deployEnds"] },
  { ...component("DEEDS=2", "MISHAPS=1", "M_TAKES_AGAIN"), properties: ["withdrawn"] },
  raced("DEEDS=2", "MISHAPS=1", "M_FORGETS_UNREAD"),
  honest("M_WRITES_ON"), // I15
  honest("M_LEARNS_UNBOUND"), // I16
  honest("M_UNDER_DIGEST_IN_FORCE"), // I16
  honest("M_NO_DIGEST"), // I17
  honest("M_CREATION_TEACHES"), // I17
  honest("M_LEARNS_UNMOVED"), // I17
];
