/** Runs the real agent through seeded worlds and through every schedule, and judges it by an independent model. */
export { existingPlanOf } from "./adoptions.ts";
export { type PlanSize, planOf } from "./drawn-plan.ts";
export { type Beside, type NamedDeed, namedDeeds } from "./explorer/deeds.ts";
export { type EndingBounds, type ExploredEndings, exploreEndings } from "./explorer/endings.ts";
export { type ExploreBounds, type Explored, type ExploreOptions, explore, pairOf } from "./explorer/explore.ts";
export {
  type Choice,
  type ChosenStep,
  type ExploredWorld,
  followSchedule,
  type Moment,
  type ScheduleEnd,
  type ScheduleOptions,
} from "./explorer/schedule.ts";
export { type ForeverSimulation, simulateForever } from "./forever.ts";
export { createJudge, type Judge } from "./judge/create-judge.ts";
export type {
  Broken,
  Fact,
  Invariant,
  JudgedCloud,
  JudgedWorld,
  ResourceChanged,
  ResourceTruth,
  SentComponent,
  SentDefinition,
  ToldEvent,
} from "./judge/facts.ts";
export {
  type Hand,
  type NewPlaces,
  type ResourceShown,
  type SimulatedPlace,
  simulatedPlaces,
} from "./places.ts";
export type {
  CloudCallKind,
  CloudFault,
  CloudVariation,
  Deed,
  ProtocolTag,
  SimulationPlan,
  StoreFault,
  Variant,
  WorldFacts,
} from "./plan.ts";
export { type ShrinkOptions, shrink } from "./shrink.ts";
export { type SimulateOptions, type Simulation, simulate } from "./simulate.ts";
export { variedPlanOf } from "./varied/drawn.ts";
export type { VariedPlan } from "./varied/plan.ts";
export { simulateVaried, type VariedSimulation } from "./varied/simulate-varied.ts";
