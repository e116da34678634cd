import { expect, test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { createSigningKeys } from "../../src/sessions/signing-keys.ts";
import { defaultSettings } from "../../src/settings.ts";
import { fakeTokens } from "../../src/testing/fake-identity.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { fakeSealer } from "../../src/testing/fake-secrets.ts";
import { identityWorld, refusal } from "../builders/identity.ts";

const day = 86_400_000;

test("a lock ends when it was to, or when the clock is put back past it", async () => {
  const settings = { lockSeconds: 900, longestLockSeconds: 900 };
  const { person, signIn, runtime } = await identityWorld(settings);
  await person("ada");
  for (let tries = 0; tries < 5; tries++) await refusal(signIn("ada", "a wrong password"));
  expect(await refusal(signIn("ada"))).toMatchObject({ code: "InvalidCredentials" });
  (runtime as unknown as ReturnType<typeof fakeRuntime>).jump(-day);
  expect(await signIn("ada")).toHaveProperty("accessToken");
});

test("a process whose clock is put back learns of a new signing key as soon as any other", async () => {
  const runtime = fakeRuntime();
  let jumpMs = 0;
  const { clock } = runtime;
  const elsewhere = { ...runtime, clock: { ...clock, now: () => clock.now() + jumpMs } };
  const records = createRecords({ store: memoryStore({ now: () => 0 }), runtime });
  const settings = { ...defaultSettings, signingKeySeconds: 3600, accessTokenSeconds: 900 };
  const shared = { records, sealer: fakeSealer(), signer: fakeTokens(runtime), settings };
  const [maker, reader] = [
    createSigningKeys({ ...shared, runtime }),
    createSigningKeys({ ...shared, runtime: elsewhere }),
  ];
  expect(await maker.published()).toHaveLength(1);
  expect(await reader.published()).toHaveLength(1);
  jumpMs = -day;
  await runtime.advance(3_600_000);
  expect(await maker.published()).toHaveLength(2);
  expect(await reader.published()).toHaveLength(2);
});
