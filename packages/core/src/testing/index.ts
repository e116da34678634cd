/** Conformance suites for every port, and what tests run on: a fake runtime, a store in memory. */
export { memoryStore } from "../ports/memory-store.ts";
export { type CloudTest, type CloudUnderTest, cloudConformance } from "./cloud-conformance.ts";
export { type FakeHasher, type FakeMailer, fakeHasher, fakeMailer, fakeTokens } from "./fake-identity.ts";
export { type FakeRuntime, type FakeRuntimeOptions, fakeRuntime } from "./fake-runtime.ts";
export { type FakeSealer, fakeSealer, fakeSshKeys } from "./fake-secrets.ts";
export {
  type RegisterTest,
  type StoreConformanceOptions,
  type StoreFactory,
  storeConformance,
} from "./store-conformance.ts";
