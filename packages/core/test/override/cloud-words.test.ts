import { expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { bothClouds } from "../builders/both-clouds.ts";
import { deployed } from "../builders/handed-over.ts";

test.each(bothClouds)(
  "$provider: a call that a cloud refuses is told in its own words, and found by its request",
  async (flavour) => {
    const lines: { readonly about: object; readonly line: string }[] = [];
    const note = (about: object, line: string) => void lines.push({ about, line });
    const logger = { debug: note, info: note, warn: note, error: note };
    const refusing = (cloud: Cloud): Cloud => ({
      ...cloud,
      update: async () => {
        const providerMessage = "The policy of hunter2-hunter2 forbids that size.";
        const details = { providerCode: "RequestDisallowedByPolicy", providerMessage, providerRequestId: "req-77" };
        throw new LiveplaneError("ProviderError", undefined, { details });
      },
    });
    const { world, id, resourceId, console } = await deployed(
      { ...flavour, parameters: { size: 1, password: { $secret: "db" } } },
      {
        secrets: { db: "hunter2-hunter2" },
        runtime: { ...fakeRuntime(), logger },
        clouds: (clouds) => clouds.map(refusing),
      },
    );
    await console.patchParameters(resourceId, { size: 2 });
    await world.cycle();
    const words = {
      providerCode: "RequestDisallowedByPolicy",
      providerMessage: "The policy of [redacted] forbids that size.",
      providerRequestId: "req-77",
    };
    const { providerCode, providerRequestId } = words;
    expect(lines).toEqual([
      {
        about: { component: id, effect: "correct", code: "ProviderError", providerCode, providerRequestId },
        line: "A write to a cloud failed.",
      },
    ]);
    const told = await world.events("component.correction_failed");
    expect(told).toMatchObject([{ data: { code: "ProviderError", ...words } }]);
    expect(JSON.stringify([lines, told])).not.toContain("hunter2");
  },
);
