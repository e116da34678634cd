import { inspect } from "node:util";
import { isLiveplaneError } from "@liveplane/core/errors";
import { expect, test } from "vitest";
import { createClient } from "../src/client.ts";
import { baseUrl, json, problem, standInService, unreachable } from "./service.ts";

const { answers } = standInService();
const canary = "canary-5f3a";
const environment = { type: "Personal", ownerId: "0b6b4b6e-7a5c-4d4e-8f1a-2b3c4d5e6f70", shortName: "web" } as const;

const failures: Readonly<Record<string, () => Response>> = {
  "a refusal": () => problem(400, "ValidationFailed"),
  "a refusal of the token": () => problem(401, "TokenExpired"),
  "a foreign page": () =>
    new Response(`<html>${canary}</html>`, { status: 502, headers: { "content-type": "text/html" } }),
  "a foreign document": () =>
    json({ message: canary, request: { headers: { authorization: canary } } }, { status: 500 }),
  "an answer that is not JSON": () => new Response(`{${canary}`, { headers: { "content-type": "application/json" } }),
  "a redirect": () => new Response(null, { status: 307, headers: { location: `https://elsewhere.test/${canary}` } }),
  "no network": unreachable,
};

test.each(Object.keys(failures))("an error after %s shows no secret in any form", async (name) => {
  answers(failures[name] as () => Response);
  const api = createClient({ baseUrl, token: canary, retries: 0 });
  const error: unknown = await api.environments.secrets
    .create(environment, { shortName: "db", value: canary }, { idempotencyKey: canary })
    .catch((thrown: unknown) => thrown);
  expect(isLiveplaneError(error)).toBe(true);
  const { message, stack, cause } = error as Error;
  const shown = [
    String(error),
    message,
    stack,
    JSON.stringify(error),
    inspect(error, { depth: null, showHidden: true }),
    inspect(cause, { depth: null }),
    JSON.stringify(Object.getOwnPropertyDescriptors(error)),
  ];
  for (const text of shown) expect(text ?? "").not.toContain(canary);
});
