import type { IncomingRequest } from "./http/incoming-request.ts";

/** What a cookie of this server's own is for. */
export interface OwnCookieOptions {
  readonly name: string;
  /** The one path, below the mount, that browsers send it to. */
  readonly path: string;
  readonly sameSite: "Strict" | "Lax";
}

/** A cookie that no script sees. */
export interface OwnCookie {
  /** `null`: none was sent. */
  readonly sent: string | null;
  /** Sets it; `seconds`: for this long, and not until the browser is closed. */
  holding(text: string, seconds?: number): string;
  gone(): string;
}

/** A cookie as it came with a request, and how it is set. `origin`: where the server is reached. */
export function ownCookie(request: IncomingRequest, origin: string, options: OwnCookieOptions): OwnCookie {
  const { protocol, port } = new URL(origin);
  const isSecure = protocol === "https:";
  // Browsers tell hosts apart, and not ports: servers side by side on one machine would sign each other out.
  const name = `${isSecure ? "__Secure-" : ""}${options.name}${port === "" ? "" : `-${port}`}`;
  const { path, sameSite } = options;
  const rules = `Path=${request.base}${path}; HttpOnly; SameSite=${sameSite}${isSecure ? "; Secure" : ""}`;
  const pairs = (request.header("cookie") ?? "").split(";").map((pair) => pair.trim());
  const sent = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  return {
    sent: sent === undefined || sent === "" ? null : sent,
    holding: (text, seconds) => `${name}=${text}; ${rules}${seconds === undefined ? "" : `; Max-Age=${seconds}`}`,
    gone: () => `${name}=; ${rules}; Max-Age=0`,
  };
}
