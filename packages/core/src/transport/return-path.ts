/** A pending sign-in is kept in a cookie, together with its return path. */
const longestReturn = 512;

/**
 * The path on this server that a browser is sent to: `asked` resolved against the server's origin, with query and fragment. It is `/` for
 * anything that resolves elsewhere, and for a path that a browser would take for another host (`//host`).
 */
export function returnPath(origin: string, asked: string | null): string {
  const own = new URL(origin).origin;
  if (asked === null || !URL.canParse(asked, own)) return "/";
  const { href } = new URL(asked, own);
  const path = href.slice(own.length);
  const isOwn = href.startsWith(`${own}/`) && !/^\/[/\\]/.test(path);
  return isOwn && path.length <= longestReturn ? path : "/";
}
