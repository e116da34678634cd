import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import helmet from "helmet";

/** Builds the function that sets helmet's headers. They are the same on every answer, so they are worked out once. */
export function securityHeaders(): (response: ServerResponse) => void {
  const request = new IncomingMessage(new Socket());
  const sample = new ServerResponse(request);
  helmet({ contentSecurityPolicy: false, strictTransportSecurity: false })(request, sample, () => {});
  sample.setHeader("Content-Security-Policy", pagePolicy);
  const headers = sample.getHeaderNames().map((name) => [name, String(sample.getHeader(name))] as const);
  return (response) => {
    for (const [name, value] of headers) response.setHeader(name, value);
  };
}

/**
 * Pages load what this server has and nothing else: no inline script or style, nothing evaluated, no form that a browser sends by
 * itself, no markup made from text. Behind plain HTTP their own addresses must stay as they are.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
