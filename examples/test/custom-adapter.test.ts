import { storeConformance } from "@liveplane/core/testing";
import { test } from "vitest";
import { mapStore } from "../custom-adapter/map-store.ts";

storeConformance(test, mapStore);
