import { context, SpanStatusCode } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

/** OpenTelemetry's own SDK, which keeps the spans that it is told of. */
export function keptSpans() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  return { provider, told: () => exporter.getFinishedSpans() };
}

/** The same, in a process that keeps contexts over `await`. */
export function registeredSpans() {
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  const kept = keptSpans();
  return {
    ...kept,
    async end(): Promise<void> {
      context.disable();
      await kept.provider.shutdown();
    },
  };
}

/** What whoever reads spans sees of one. */
export function shownSpan(span: ReturnType<InMemorySpanExporter["getFinishedSpans"]>[number]) {
  const { name, attributes, status, events, parentSpanContext } = span;
  const { spanId: id, traceId } = span.spanContext();
  return {
    ...{ name, id, traceId, attributes, parentId: parentSpanContext?.spanId ?? null },
    code: (attributes["error.type"] as string | undefined) ?? null,
    isFailed: status.code === SpanStatusCode.ERROR,
    text: JSON.stringify({ name, attributes, status, events, links: span.links }),
  };
}
