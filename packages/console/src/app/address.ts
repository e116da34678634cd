import { type ReadonlySignal, signal } from "@preact/signals";

/** Where the console is: `#/component/<live system>/<path>?tab=ledger`. It is after the `#`, since the paths are the API's. */
export interface ConsolePlace {
  /** The name of the page; empty: the home. */
  readonly page: string;
  /** What is after it, decoded. */
  readonly segments: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** The address, as pages read and change it. */
export interface Address {
  readonly place: ReadonlySignal<ConsolePlace>;
  /** Changes members of the query in place: an empty one is left out. Back goes to the page before, not through each filter. */
  filter(changes: Readonly<Record<string, string>>): void;
  go(href: string): void;
  /** Anyone who signs in at a provider comes back to here. */
  keep(): void;
  /** The code that a sign-in at a provider came back with, once; it leaves the address before anything is shown. */
  takeCode(): string | null;
}

export function linkTo(page: string, segments: readonly string[] = [], query: ConsolePlace["query"] = {}): string {
  const path = [page, ...segments].map(encodeURIComponent).join("/");
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return `#/${path}${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`;
}

/** Takes an address apart. What can't be decoded leads home. @internal */
export function parsePlace(hash: string): ConsolePlace {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  try {
    const [page = "", ...segments] = path.split("/").map(decodeURIComponent);
    return { page, segments, query: Object.fromEntries(new URLSearchParams(search)) };
  } catch {
    return { page: "", segments: [], query: {} };
  }
}

/** Under that name the browser's tab has the address, while somebody signs in at a provider. */
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
