/** An answer of a double; `null`: the connection is cut. */
type Answered = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
} | null;

/** A request as doubles take it. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * The runtime's `fetch` with a double in place of the network, which answers within the event loop's turn: the streams of real answers may
 * take others, and a seed would not go the same way twice.
 */
export function fetchFrom(answer: (asked: Asked) => Promise<Answered> | Answered): typeof fetch {
  return (async (input: string | URL, init: RequestInit = {}) => {
    const { pathname, search } = new URL(String(input));
    const headers = Object.fromEntries(
      Object.entries(init.headers as Record<string, string>).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const text = typeof init.body === "string" ? init.body : "";
    const answered = await answer({ method: init.method ?? "GET", url: `${pathname}${search}`, headers, text });
    if (answered === null) throw new TypeError("the connection was cut");
    const { status, body } = answered;
    return {
      status,
      ok: status >= 200 && status < 300,
      headers: new Headers(answered.headers ?? {}),
      text: async () => (status === 204 || body === null ? "" : written(body)),
    };
  }) as unknown as typeof fetch;
}

function written(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}
