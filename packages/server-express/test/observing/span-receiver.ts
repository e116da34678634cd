import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as OTLP has it in JSON, as far as tests look at it. */
export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

interface ReceivedResource {
  readonly resource: { readonly attributes: ReceivedSpan["attributes"] };
  readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
}

/** Takes spans by OTLP over HTTP, as a collector does. */
export async function spanReceiver() {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.push(body);
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const resources = () => {
    return received.flatMap((body) => (JSON.parse(body) as { resourceSpans: ReceivedResource[] }).resourceSpans);
  };
  return {
    environment: {
      LIVEPLANE_TRACING: "otlp",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    /** All that came, as it came. */
    text: () => received.join("\n"),
    spans: () => resources().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    services: () => new Set(resources().map(({ resource }) => saidOf(resource, "service.name"))),
    end: () => void server.close(),
  };
}

/** What is said under a name. */
export function saidOf({ attributes }: Pick<ReceivedSpan, "attributes">, key: string): string | undefined {
  return attributes.find((one) => one.key === key)?.value.stringValue;
}
