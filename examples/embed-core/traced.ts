// Prints the spans of the control plane as they end. A service would register its own SDK, which exports them.

import { nodeDefaults } from "@liveplane/adapters/node";
import { openTelemetryTracer } from "@liveplane/adapters/open-telemetry";
import { createLiveplane } from "@liveplane/core";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { ConsoleSpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() })] }),
);

const tracer = await openTelemetryTracer();
const liveplane = createLiveplane(await nodeDefaults({ dataDir: ".liveplane", tracer }));
const host = liveplane.as({ kind: "system", name: "host" });
await host.accounts.createWithCredentials({ username: "ada", password: "correct horse battery" });
await liveplane.stop();
