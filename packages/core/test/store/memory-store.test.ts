import { test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { storeConformance } from "../../src/testing/store-laws/store-conformance.ts";

storeConformance(test, memoryStore, { programs: 1000, seed: 1 });
