import { type ReadonlySignal, signal } from "@preact/signals";

/** A place in the console: `#/component/<live system>/<path>?tab=ledger`. It follows the `#`, because other paths belong to the API. */
export interface ConsolePlace {
  /** The name of the page; empty for the home page. */
  readonly page: string;
  /** The decoded rest. */
  readonly segments: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** The address, as pages read and change it. */
export interface Address {
  readonly place: ReadonlySignal<ConsolePlace>;
  /** Changes query members in place; empty ones are removed. The browser's Back goes to the previous page, not through each filter. */
  filter(changes: Readonly<Record<string, string>>): void;
  go(href: string): void;
  /** Stores the address for a return from a provider's sign-in. */
  keep(): void;
  /** Takes the code of a completed sign-in at a provider, once; it is removed from the address before anything is shown. */
  takeCode(): string | null;
}

export function linkTo(page: string, segments: readonly string[] = [], query: ConsolePlace["query"] = {}): string {
  const path = [page, ...segments].map(encodeURIComponent).join("/");
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return `#/${path}${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`;
}

/** Parses an address. An invalid one leads home. @internal */
export function parsePlace(hash: string): ConsolePlace {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  try {
    const [page = "", ...segments] = path.split("/").map(decodeURIComponent);
    return { page, segments, query: Object.fromEntries(new URLSearchParams(search)) };
  } catch {
    return { page: "", segments: [], query: {} };
  }
}

/** The session storage key of the address during a sign-in at a provider. */
const keptAs = "liveplane-address";

/** Follows the browser's address. */
export function createAddress(): Address {
  let [, code = null] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
  if (code !== null) history.replaceState(null, "", linkTo("account"));
  const left = sessionStorage.getItem(keptAs);
  sessionStorage.removeItem(keptAs);
  if (left !== null && location.hash === "") history.replaceState(null, "", left);
  const place = signal(parsePlace(location.hash));
  addEventListener("hashchange", () => {
    place.value = parsePlace(location.hash);
  });
  return {
    place,
    filter(changes) {
      const { page, segments, query } = place.value;
      history.replaceState(null, "", linkTo(page, segments, { ...query, ...changes }));
      place.value = parsePlace(location.hash);
    },
    go(href) {
      location.hash = href;
    },
    keep() {
      if (location.hash !== "") sessionStorage.setItem(keptAs, location.hash);
    },
    takeCode() {
      const taken = code;
      code = null;
      return taken;
    },
  };
}
