/** Conformance suites for every port, a simulator of the agent, and what tests run on: a fake runtime, a store in memory. */
export { memoryStore } from "../ports/memory-store.ts";
export { type CloudTest, cloudConformance } from "./cloud-laws/cloud-conformance.ts";
export type { CloudUnderTest } from "./cloud-laws/cloud-under-test.ts";
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
export { type FakeHasher, type FakeMailer, fakeHasher, fakeMailer, fakeTokens } from "./fake-identity.ts";
export { type FakeRuntime, type FakeRuntimeOptions, fakeRuntime } from "./fake-runtime.ts";
export { type FakeSealer, fakeSealer, fakeSshKeys } from "./fake-secrets.ts";
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
  type SchedulerConformanceOptions,
  type SchedulerFactory,
  schedulerConformance,
} from "./scheduler-laws/scheduler-conformance.ts";
export type { SchedulerUnderTest } from "./scheduler-laws/scheduler-under-test.ts";
export {
  type Hand,
  type NewPlaces,
  type ResourceShown,
  type SimulatedPlace,
  simulatedPlaces,
} from "./simulator/places.ts";
export {
  type CloudCallKind,
  type CloudFault,
  type CloudVariation,
  type Deed,
  type PlanSize,
  type ProtocolTag,
  planOf,
  type SimulationPlan,
  type StoreFault,
  type Variant,
  type WorldFacts,
} from "./simulator/plan.ts";
export { type ShrinkOptions, shrink } from "./simulator/shrink.ts";
export { type SimulateOptions, type Simulation, simulate } from "./simulator/simulate.ts";
export {
  type RegisterTest,
  type StoreConformanceOptions,
  type StoreFactory,
  type StorePlace,
  storeConformance,
} from "./store-laws/store-conformance.ts";
export { type ToldSpan, type TracerUnderTest, tracerConformance } from "./tracer-conformance.ts";
