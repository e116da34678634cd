import { openTelemetryTracer } from "@liveplane/adapters/open-telemetry";
import type { Liveplane } from "@liveplane/core";
import { fetchHandler } from "@liveplane/core/fetch";
import { expect, onTestFinished, test } from "vitest";
import { registeredSpans, shownSpan } from "../../../adapters/test/kept-spans.ts";
import { runServer } from "../running-server.ts";

const host = "https://plane.example";
const farAway = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const traceparent = `00-${farAway.traceId}-${farAway.spanId}-01`;

/** A control plane behind the edge of other hosts, and the spans of what isn't dispatched. */
async function tracedEdge(beside: Partial<Liveplane> = {}) {
  const server = await runServer();
  const { provider, told, end } = registeredSpans();
  onTestFinished(end);
  const tracer = await openTelemetryTracer({ provider });
  const handle = fetchHandler({ ...server.liveplane, ...beside, tracer }, { rateLimits: "off", consoleSession: true });
  const ask = (path: string, { headers = {}, ...init }: Omit<RequestInit, "headers"> & { headers?: object } = {}) =>
    handle(new Request(host + path, { ...init, headers: { traceparent, "x-request-id": "of-the-test", ...headers } }));
  return { server, ask, spans: () => told().map(shownSpan) };
}

function named(name: string) {
  const attributes = { "liveplane.operation": name, "liveplane.request_id": "of-the-test" };
  return { name, attributes, parentId: farAway.spanId, traceId: farAway.traceId, isFailed: false };
}

test("a stream of events is a span of the caller's trace as it opens, and is told of while it goes on", async () => {
  const { server, ask, spans } = await tracedEdge();
  const { token } = await server.person("ada");
  const left = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const { status, body } = await ask("/events", { headers, signal: left.signal });
  expect(status).toBe(200);
  expect(spans()).toMatchObject([named("events.follow")]);
  left.abort();
  await body?.cancel().catch(() => {});
});

test("a stream that is refused says why in its span", async () => {
  const { ask, spans } = await tracedEdge();
  expect((await ask("/events")).status).toBe(401);
  const attributes = { ...named("events.follow").attributes, "error.type": "Unauthenticated" };
  expect(spans()).toMatchObject([{ ...named("events.follow"), attributes }]);
});

test("a page that stays signed in and a visit of the issuer are spans, named after their paths", async () => {
  const begun = { location: "https://issuer.example/authorize", transaction: "t", seconds: 60 };
  const signIn = { begin: async () => begun } as unknown as NonNullable<Liveplane["signIn"]>;
  const { ask, spans } = await tracedEdge({ signIn });
  const headers = { origin: host, "content-type": "application/json" };
  expect((await ask("/console/session", { method: "POST", headers, body: '{"do":"renew"}' })).status).toBe(204);
  expect((await ask("/auth/oidc/start?returnTo=/")).status).toBe(303);
  expect((await ask("/auth/oidc/start?loopback=elsewhere")).status).toBe(400);
  const start = named("auth.oidc.start");
  expect(spans()).toMatchObject([
    named("console.session"),
    start,
    { ...start, attributes: { ...start.attributes, "error.type": "ValidationFailed" } },
  ]);
});

test("a control plane whose tracer nobody handed on is served all the same", async () => {
  const server = await runServer();
  const { tracer: _tracer, ...untraced } = server.liveplane;
  const handle = fetchHandler(untraced, { rateLimits: "off" });
  expect((await handle(new Request(`${host}/events`))).status).toBe(401);
});
