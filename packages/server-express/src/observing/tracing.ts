import { openTelemetryTracer } from "@liveplane/adapters/open-telemetry";
import type { Logger, Tracer } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import type { ServerConfig } from "../configuration/config.ts";
import { version } from "../version.ts";

/** The tracing of this process. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Sends the remaining spans. If that fails, only they are lost. */
  end(): Promise<void>;
}

/**
 * Starts tracing as configured; `null`: no tracing, and nothing of OpenTelemetry is loaded.
 *
 * @throws {ConfigurationInvalid} if a required package isn't installed.
 */
export async function openTracing(
  { tracing, tracedShare }: Pick<ServerConfig, "tracing" | "tracedShare">,
  logger: Logger,
): Promise<Tracing | null> {
  if (tracing === "off") return null;
  if (tracing === "registered") return { tracer: await openTelemetryTracer(), end: async () => {} };
  const [api, { AsyncLocalStorageContextManager }, sdk, resources, { OTLPTraceExporter }] = await loadSdk();
  const { resourceAttributesEnvDetector, serviceInstanceIdDetector, serviceNameEnvDetector } = resources;
  const own = resources.resourceFromAttributes({ "service.name": "liveplane", "service.version": version });
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector];
  const told = resources.detectResources({ detectors });
  // Traces that began elsewhere are sampled at the same rate, so nobody can make this process send more than configured.
  const share = new sdk.TraceIdRatioBasedSampler(tracedShare);
  const provider = new sdk.TracerProvider({
    resource: own.merge(told),
    sampler: new sdk.ParentBasedSampler({ root: share, remoteParentSampled: share }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const warn = () => logger.warn({}, "Spans could not be sent. Check OTEL_EXPORTER_OTLP_ENDPOINT and its receiver.");
  const quiet = () => {};
  const teller = { error: warn, warn: quiet, info: quiet, debug: quiet, verbose: quiet };
  api.diag.setLogger(teller, { logLevel: api.DiagLogLevel.ERROR, suppressOverrideMessage: true });
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return {
    tracer: await openTelemetryTracer({ provider }),
    async end() {
      await provider.forceFlush({ timeoutMillis: lastSendMs }).catch(warn);
      void provider.shutdown().catch(quiet);
    },
  };
}

/** How long a stopping process waits to send spans. */
const lastSendMs = 2_000;

async function loadSdk() {
  try {
    return await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/context-async-hooks"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/exporter-trace-otlp-http"),
    ]);
  } catch (cause) {
    const names = "api@1 context-async-hooks@3 exporter-trace-otlp-http@0 resources@3 sdk-trace@3".split(" ");
    const install = `npm install ${names.map((name) => `@opentelemetry/${name}`).join(" ")}`;
    throw new LiveplaneError("ConfigurationInvalid", `LIVEPLANE_TRACING=otlp needs packages: ${install}`, { cause });
  }
}
