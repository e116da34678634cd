/**
 * Pages load what this server has and nothing else: no inline script or style, nothing evaluated, no form that a browser sends by
 * itself, no markup made from text. Behind plain HTTP their own addresses must stay as they are.
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

/** What keeps a browser from doing more with an answer than was meant: names and values in turn, the same on every answer. */
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
