/** Conformance suites for every port, and the tools of tests: a fake runtime, a store in memory. */
export { memoryStore } from "../ports/memory-store.ts";
export { type CloudTest, cloudConformance } from "./cloud-laws/cloud-conformance.ts";
export type { CloudUnderTest } from "./cloud-laws/cloud-under-test.ts";
export { type FakeHasher, type FakeMailer, fakeHasher, fakeMailer, fakeTokens } from "./fake-identity.ts";
export { type FakeRuntime, type FakeRuntimeOptions, fakeRuntime } from "./fake-runtime.ts";
export { type FakeSealer, fakeSealer, fakeSshKeys } from "./fake-secrets.ts";
export {
  type SchedulerConformanceOptions,
  type SchedulerFactory,
  schedulerConformance,
} from "./scheduler-laws/scheduler-conformance.ts";
export type { SchedulerUnderTest } from "./scheduler-laws/scheduler-under-test.ts";
export {
  type RegisterTest,
  type StoreConformanceOptions,
  type StoreFactory,
  type StorePlace,
  storeConformance,
} from "./store-laws/store-conformance.ts";
export { type ToldSpan, type TracerUnderTest, tracerConformance } from "./tracer-conformance.ts";
