import { type Api, createClient, LiveplaneError } from "@liveplane/client";
import { type ReadonlySignal, signal } from "@preact/signals";
import { createLive, type Live } from "./live.ts";
import { createNames, type Names } from "./names.ts";
import { type OwnServer, type ServerDoor, serverAt } from "./server-door.ts";
import { handThrough } from "./simulated-hand.ts";
import type { CloudsHere } from "./workplace.ts";

/** Somebody who is signed in, with all that their pages need. */
export interface SignedIn {
  readonly kind: "signedIn";
  readonly accountId: string;
  readonly name: string;
  readonly api: Api;
  readonly live: Live;
  readonly names: Names;
  readonly clouds: CloudsHere;
  /** `null`: they don't operate this server. */
  readonly door: ServerDoor | null;
  readonly server: OwnServer;
}

/**
 * How it is with the person before the browser. `left`: whose session ended by itself; what they were at stays for them, for a
 * while, to continue with once they have signed in again.
 */
export type SessionState =
  | { readonly kind: "starting" }
  | { readonly kind: "signedOut"; readonly left: SignedIn | null }
  /** They have signed in with a password for once, and have to choose their own. */
  | { readonly kind: "mustChange"; readonly left: SignedIn | null }
  | SignedIn;

/** The session of this page. Its access token is in a variable here and nowhere else; a cookie that no script reads renews it. */
export interface ConsoleSession {
  readonly state: ReadonlySignal<SessionState>;
  /** Goes on with the browser's session, where it has one. */
  restore(): Promise<void>;
  signIn(username: string, password: string): Promise<void>;
  /** Where people sign in at the provider of the service's choice and come back from; `null`: it has none. */
  providerAddress(): Promise<string | null>;
  /** Chooses a password in place of the one for once. */
  choosePassword(newPassword: string): Promise<void>;
  /** Activates an account with the code that was mailed to its address. */
  activate(code: string, password: string): Promise<void>;
  signOut(): Promise<void>;
}

/** A token is replaced this long before it ends. */
const marginMs = 30_000;
/** Pages wait this long for the stream of events: what they read before it flows they read again. */
const openingMs = 500;
/** What somebody was at when their session ended stays this long. */
const keptMs = 15 * 60_000;

/** Builds the session of a page that lies right below the API's address. */
export function createSession(baseUrl: string): ConsoleSession {
  const state = signal<SessionState>({ kind: "starting" });
  const tokens = createTokens(baseUrl);
  /** The other tabs of this browser, which have the same session. */
  const tabs = new BroadcastChannel(`liveplane ${baseUrl}`);
  tabs.onmessage = forget;
  let oneTimePassword = "";

  /** Nothing of anyone who was here is left in this tab. */
  function forget(): void {
    const { value } = state;
    tokens.forget();
    if (value.kind === "signedIn") value.live.stop();
    state.value = { kind: "signedOut", left: null };
  }

  /** The session is over, and nobody has ended it here. */
  function leave(): void {
    const { value } = state;
    tokens.forget();
    if (value.kind !== "signedIn") return;
    value.live.stop();
    state.value = { kind: "signedOut", left: value };
    setTimeout(() => {
      if (leftIn(state.value) === value) state.value = { kind: "signedOut", left: null };
    }, keptMs);
  }

  async function enter(): Promise<void> {
    const left = leftIn(state.value);
    if (left !== null && (await left.api.accounts.me()).id === left.accountId) {
      void left.live.follow(left.api);
      state.value = left;
      return;
    }
    const { api, live, server } = connect(baseUrl, tokens, leave);
    try {
      const opening = Promise.race([live.follow(api), new Promise((resolve) => setTimeout(resolve, openingMs))]);
      const [{ id, username, email }, { hasSimulator, door }] = await Promise.all([
        api.accounts.me(),
        serverAt(server, () => tokens.current(leave)),
        opening,
      ]);
      const name = username ?? email ?? id;
      const ownName = async () => (await api.names.find({ id: [id] })).items[0]?.name ?? name;
      const hand = door && handThrough(door, ownName);
      const clouds: CloudsHere = hasSimulator ? { kind: "simulated", hand } : { kind: "real" };
      state.value = {
        kind: "signedIn",
        accountId: id,
        name,
        api,
        live,
        names: createNames(api, live),
        clouds,
        door,
        server,
      };
    } catch (error) {
      live.stop();
      throw error;
    }
  }

  return {
    state,
    async restore() {
      try {
        if ((await tokens.renew()) !== null) return await enter();
      } catch {
        // Anyone who can't be brought back signs in: that says what is the matter.
      }
      state.value = { kind: "signedOut", left: null };
    },
    async signIn(username, password) {
      const { accessToken, expiresIn, forcePasswordChange } = await createClient({ baseUrl }).sessions.create({
        username,
        password,
      });
      tokens.keep(accessToken, expiresIn);
      if (forcePasswordChange === true) {
        oneTimePassword = password;
        state.value = { kind: "mustChange", left: leftIn(state.value) };
        return;
      }
      await tokens.begin();
      await enter();
    },
    async providerAddress() {
      const { openId } = await createClient({ baseUrl }).sessions.methods();
      const back = new URLSearchParams({ returnTo: new URL(baseUrl).pathname });
      return openId ? `${baseUrl}auth/oidc/start?${back}` : null;
    },
    async choosePassword(newPassword) {
      const api = createClient({ baseUrl, token: () => tokens.current(() => {}) });
      await api.accounts.changePassword({ oldPassword: oneTimePassword, newPassword });
      oneTimePassword = "";
      await tokens.begin();
      await enter();
    },
    async activate(code, password) {
      await createClient({ baseUrl, token: code }).accounts.activate({ password });
    },
    async signOut() {
      try {
        await ask(baseUrl, "end");
      } catch {
        // The cookie would sign them in again: nobody is signed out before the server says so.
        if (state.value.kind === "signedIn") state.value.live.broke();
        return;
      }
      forget();
      tabs.postMessage("signed out");
    },
  };
}

/** A client that reports the state of the network, and gets tokens by itself. */
function connect(
  baseUrl: string,
  tokens: ReturnType<typeof createTokens>,
  leave: () => void,
): Pick<SignedIn, "api" | "live" | "server"> {
  const live = createLive();
  const token = () => tokens.current(leave);
  const watchedFetch: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init).catch((cause: unknown) => {
      // A request that the page cancelled says nothing about the network.
      if (!(input instanceof Request ? input.signal : init?.signal)?.aborted) live.broke();
      throw cause;
    });
    // Refused before it expired: the next request gets a new one.
    if (answer.status === 401) tokens.forget();
    return live.watched(answer);
  };
  const server: OwnServer = {
    address: baseUrl,
    async send(path, init) {
      const headers = new Headers(init?.headers);
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${await token()}`);
      return watchedFetch(`${baseUrl}${path}`, { ...init, headers });
    },
  };
  return { api: createClient({ baseUrl, token, fetch: watchedFetch }), live, server };
}

/** Whose session has ended, where what they were at is still there. */
function leftIn(state: SessionState): SignedIn | null {
  return state.kind === "signedOut" || state.kind === "mustChange" ? state.left : null;
}

interface KnownToken {
  readonly token: string;
  readonly until: number;
}

/** The access token, and how another one is got. */
function createTokens(baseUrl: string) {
  let known: KnownToken | null = null;
  let pending: Promise<KnownToken | null> | null = null;

  const keep = (token: string, expiresIn: number): KnownToken => {
    known = { token, until: Date.now() + expiresIn * 1000 - Math.min(marginMs, expiresIn * 500) };
    return known;
  };

  async function renewed(): Promise<KnownToken | null> {
    const answer = await ask(baseUrl, "renew");
    if (answer.status === 204 || answer.status === 401) return null;
    if (!answer.ok) throw new LiveplaneError("Unavailable");
    const { accessToken, expiresIn } = (await answer.json()) as { accessToken: string; expiresIn: number };
    return keep(accessToken, expiresIn);
  }

  /** One renewal for however many calls wait for it. */
  function renew(): Promise<KnownToken | null> {
    pending ??= renewed().finally(() => {
      pending = null;
    });
    return pending;
  }

  return {
    keep,
    renew,
    forget() {
      known = null;
    },
    /** The token to send. Where there is none to be had the session is over: `onEnd` is told, and the call fails. */
    async current(onEnd: () => void): Promise<string> {
      const good = known !== null && known.until > Date.now() ? known : await renew();
      if (good !== null) return good.token;
      onEnd();
      throw new LiveplaneError("TokenRevoked");
    },
    /** Puts the session behind the cookie. */
    async begin(): Promise<void> {
      const answer = await ask(baseUrl, "begin", known?.token);
      if (!answer.ok) throw new LiveplaneError("Unavailable");
    },
  };
}

/** Asks the server's endpoint of sessions. What the network breaks is unavailable for now, and no reason to sign out. */
async function ask(baseUrl: string, what: "begin" | "renew" | "end", token?: string): Promise<Response> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  try {
    return await fetch(`${baseUrl}console/session`, { method: "POST", headers, body: JSON.stringify({ do: what }) });
  } catch (cause) {
    throw new LiveplaneError("Unavailable", undefined, { cause });
  }
}
