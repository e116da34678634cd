/** Where a browser has come to. */
export interface Visited {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Each address on the way, the last one included. */
  readonly way: readonly string[];
}

interface Visit {
  readonly until?: string;
  /** The method of the first request, and what it sends beside its cookies. */
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly line: string;
}

/** As much of a browser as signing in takes: it keeps cookies by their paths, and goes where it is sent. */
export interface Browser {
  /** Goes there, and follows redirects; `until`: stops before an address that begins so. */
  visit(url: string, options?: Visit): Promise<Visited>;
  /** Sends the form of a page. */
  submit(page: Visited, options?: Pick<Visit, "until">): Promise<Visited>;
  /** Every address that it came by. */
  visited(): readonly string[];
  /** What is kept under names that begin so, as it was set. */
  cookies(name: string): readonly Cookie[];
  /** Keeps what another browser has under such names. */
  steal(from: Browser, name: string): void;
  forget(name: string): void;
}

/** Opens a browser. */
export function openBrowser(): Browser {
  const jar = new Map<string, Cookie>();
  const history: string[] = [];

  function keep(headers: Headers, at: URL): void {
    for (const line of headers.getSetCookie()) {
      const [pair = "", ...rules] = line.split(";").map((part) => part.trim());
      const [name = "", ...value] = pair.split("=");
      const rule = (wanted: string) =>
        rules.find((one) => one.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
      const path = rule("path") ?? at.pathname.replace(/\/[^/]*$/, "/");
      const isOver = rule("max-age") === "0" || Date.parse(rule("expires") ?? "9999-01-01") < Date.now();
      if (isOver) jar.delete(`${name} ${path}`);
      else jar.set(`${name} ${path}`, { name, value: value.join("="), path, line });
    }
  }

  const sent = ({ pathname }: URL) =>
    [...jar.values()]
      .filter(({ path }) => pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");

  const browser: Browser = {
    async visit(from, { until, ...first } = {}) {
      const way: string[] = [];
      for (let url = new URL(from); ; ) {
        way.push(url.href);
        history.push(url.href);
        if (way.length > 20) throw new RangeError(`It goes round and round: ${way.join("\n")}`);
        if (until !== undefined && url.href.startsWith(until))
          return { url, status: 0, headers: new Headers(), text: "", way };
        const { method = "GET", headers } = way.length === 1 ? first : {};
        const answer = await fetch(url, { method, redirect: "manual", headers: { ...headers, cookie: sent(url) } });
        keep(answer.headers, url);
        const next = answer.headers.get("location");
        if (next === null)
          return { url, status: answer.status, headers: answer.headers, text: await answer.text(), way };
        url = new URL(next, url);
      }
    },
    submit(page, options) {
      const [, action = ""] = /<form method="post" action="([^"]+)">/.exec(page.text) ?? [];
      if (action === "") throw new TypeError(`There is no form: ${page.status} ${page.text}`);
      return browser.visit(new URL(action.replaceAll("&amp;", "&"), page.url).href, { ...options, method: "POST" });
    },
    visited: () => history,
    cookies: (begin) => [...jar.values()].filter(({ name }) => name.startsWith(begin)),
    steal(other, begin) {
      for (const cookie of other.cookies(begin)) jar.set(`${cookie.name} ${cookie.path}`, cookie);
    },
    forget(begin) {
      for (const [key, { name }] of jar) if (name.startsWith(begin)) jar.delete(key);
    },
  };
  return browser;
}
