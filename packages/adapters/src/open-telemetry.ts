import type { SpanBegin, SpanFields, Tracer } from "@liveplane/core";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { Attributes, Context, Span, TracerProvider } from "@opentelemetry/api";

/** Options of the tracer on OpenTelemetry. */
export interface OpenTelemetryOptions {
  /** Creates the spans. @default the provider registered in the process; without one there are none */
  readonly provider?: TracerProvider;
}

/**
 * A tracer with OpenTelemetry spans. They nest by the context manager registered in the process, which an SDK for Node includes.
 *
 * @throws {ConfigurationInvalid} if `@opentelemetry/api` isn't installed.
 */
export async function openTelemetryTracer({ provider }: OpenTelemetryOptions = {}): Promise<Tracer> {
  const { context, isSpanContextValid, SpanKind, SpanStatusCode, TraceFlags, trace } = await loadApi();
  const tracer = (provider ?? trace).getTracer("liveplane");
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

  function contextOf({ isRoot, parent }: SpanBegin): Context {
    const active = context.active();
    if (isRoot === true) return trace.deleteSpan(active);
    if (parent === undefined || trace.getSpan(active) !== undefined) return active;
    const [, traceId = "", spanId = "", flags = "0"] = traceparent.exec(parent) ?? [];
    const far = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
    return isSpanContextValid(far) ? trace.setSpanContext(active, far) : active;
  }

  function begun(begin: SpanBegin): [Span, Context] {
    const { name, kind, fields } = begin;
    const around = contextOf(begin);
    const options = { attributes: attributesOf(fields), ...(kind && { kind: kinds[kind] }) };
    const span = tracer.startSpan(name, options, around);
    return [span, trace.setSpan(around, span)];
  }

  /** An error answered to a remote caller is theirs: the code is recorded, but the span hasn't failed. */
  function fail(span: Span, { kind }: SpanBegin, { code, status }: Pick<LiveplaneError, "code" | "status">): void {
    span.setAttribute("error.type", code);
    if (kind !== "server" || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  }

  return {
    async during(begin, work, endOf) {
      const [span, around] = begun(begin);
      try {
        const given = await context.with(around, work);
        const { outcome, code } = endOf?.(given) ?? {};
        if (outcome !== undefined) span.setAttribute("liveplane.outcome", outcome);
        if (code != null) fail(span, begin, new LiveplaneError(code));
        return given;
      } catch (error) {
        fail(span, begin, isLiveplaneError(error) ? error : new LiveplaneError("InternalError"));
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

/** Version, trace, span and flags; later versions may append more. */
const traceparent = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** `requestId` becomes `liveplane.request_id`. */
function attributesOf(fields: SpanFields): Attributes {
  const named = Object.entries(fields).map(([name, value]) => {
    return [`liveplane.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`, value];
  });
  return Object.fromEntries(named);
}

async function loadApi(): Promise<typeof import("@opentelemetry/api")> {
  try {
    return await import("@opentelemetry/api");
  } catch (cause) {
    const install = "Tracing needs the package @opentelemetry/api: npm install @opentelemetry/api@1";
    throw new LiveplaneError("ConfigurationInvalid", install, { cause });
  }
}
