import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import helmet from "helmet";

/** Builds the function that sets helmet's headers. They are the same on every answer, so they are worked out once. */
export function securityHeaders(): (response: ServerResponse) => void {
  const request = new IncomingMessage(new Socket());
  const sample = new ServerResponse(request);
  helmet({ contentSecurityPolicy, strictTransportSecurity: false })(request, sample, () => {});
  const headers = sample.getHeaderNames().map((name) => [name, String(sample.getHeader(name))] as const);
  return (response) => {
    for (const [name, value] of headers) response.setHeader(name, value);
  };
}

/** The pages load nothing from elsewhere. Behind plain HTTP their own addresses must stay as they are. */
const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    objectSrc: ["'none'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
};
