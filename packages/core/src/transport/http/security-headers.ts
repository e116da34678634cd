/**
 * Pages load only from this server: no inline script or style, no evaluation, no native form submission, no markup from text.
 * `upgrade-insecure-requests` is left out, because it would break plain HTTP.
 */
const pagePolicy = [
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

/** Headers that keep browsers from misusing an answer: names and values in turn, the same on every answer. */
export const securityHeaders: readonly string[] = [
  ...["Content-Security-Policy", pagePolicy],
  ...["Cross-Origin-Opener-Policy", "same-origin"],
  ...["Cross-Origin-Resource-Policy", "same-origin"],
  ...["Origin-Agent-Cluster", "?1"],
  ...["Referrer-Policy", "no-referrer"],
  ...["X-Content-Type-Options", "nosniff"],
  ...["X-DNS-Prefetch-Control", "off"],
  ...["X-Download-Options", "noopen"],
  ...["X-Frame-Options", "SAMEORIGIN"],
  ...["X-Permitted-Cross-Domain-Policies", "none"],
  ...["X-XSS-Protection", "0"],
];
