import { afterAll, describe, expect, test } from "vitest";
import { liveplaneRouter } from "../src/router.ts";
import { createServer } from "../src/server.ts";
import { openStore } from "../src/stores.ts";
import { startServer } from "./running-server.ts";

const { liveplane, end } = await startServer();
afterAll(end);

describe("mistaken options are refused by their names, with an example", () => {
  test.each([
    [{ rateLimit: "off" }, "rateLimit isn't an option of liveplaneRouter; did you mean rateLimits?"],
    [
      { rateLimits: { reeds: 5 } },
      'rateLimits has the wrong type or value. Example: rateLimits: { reads: 600 }, or rateLimits: "off".',
    ],
    [{ trustedProxies: "1" }, "trustedProxies has the wrong type or value. Example: trustedProxies: 1."],
  ])("of the router: %j", (options, message) => {
    const build = () => liveplaneRouter(liveplane, options as never);
    expect(build).toThrow(expect.objectContaining({ code: "ConfigurationInvalid", message }));
  });

  test.each([
    [{}, "liveplane is missing, as in liveplane: createLiveplane(ports)."],
    [{ liveplane: {} }, "liveplane has the wrong type or value. Example: liveplane: createLiveplane(ports)."],
    [{ liveplane, drainMs: -1 }, "drainMs has the wrong type or value. Example: drainMs: 3000."],
    [
      { liveplane, corsOrigins: ["app.example"] },
      'corsOrigins has the wrong type or value. Example: corsOrigins: ["https://app.example.com"].',
    ],
  ])("of a server: case %#", (options, message) => {
    const build = () => createServer(options as never);
    expect(build).toThrow(expect.objectContaining({ code: "ConfigurationInvalid", message }));
  });

  test("what isn't a control plane is no first argument", () => {
    expect(() => liveplaneRouter({} as never)).toThrow(/The first argument must be the result of createLiveplane/);
  });
});

test("a Postgres that nobody answers for is named by its host and port, without who signs in", async () => {
  const store = { kind: "postgres", at: "postgres://somebody:s3cret@127.0.0.1:1/plane" } as const;
  const refused = await openStore({ store, dataDir: "unused" }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "StoreFailed" });
  const { message } = refused as Error;
  expect(message).toMatch(/^The Postgres, 127\.0\.0\.1:1, can't be used: .*ECONNREFUSED/);
  expect(message).not.toMatch(/somebody|s3cret/);
});
