import type { IncomingRequest } from "./http/incoming-request.ts";

/** The purpose of a cookie. */
export interface OwnCookieOptions {
  readonly name: string;
  /** The only path, below the mount, that browsers send it to. */
  readonly path: string;
  readonly sameSite: "Strict" | "Lax";
}

/** A cookie that scripts can't read. */
export interface OwnCookie {
  /** `null` if none was sent. */
  readonly sent: string | null;
  /** Sets it for `seconds`, otherwise until the browser is closed. */
  holding(text: string, seconds?: number): string;
  gone(): string;
}

/** A cookie as it came with a request, and how to set it. `origin`: the server's address. */
export function ownCookie(request: IncomingRequest, origin: string, options: OwnCookieOptions): OwnCookie {
  const { protocol, port } = new URL(origin);
  const isSecure = protocol === "https:";
  // Browsers separate hosts but not ports: servers on one machine would sign each other out.
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
