import { type Api, createClient, isLiveplaneError, LiveplaneError } from "@liveplane/client";
import { type ReadonlySignal, signal } from "@preact/signals";
import { createLive, type Live } from "./live.ts";
import { createNames, type Names } from "./names.ts";
import { knowsPasskeys, signWithPasskey } from "./passkeys.ts";
import { type OwnServer, type ServerDoor, serverAt } from "./server-door.ts";
import { handThrough } from "./simulated-hand.ts";
import type { CloudsHere } from "./workplace.ts";

/** A signed-in person, with everything that their pages need. */
export interface SignedIn {
  readonly kind: "signedIn";
  readonly accountId: string;
  readonly name: string;
  readonly api: Api;
  readonly live: Live;
  readonly names: Names;
  readonly clouds: CloudsHere;
  /** `null` if they don't operate this server. */
  readonly door: ServerDoor | null;
  readonly server: OwnServer;
}

/**
 * The state of the person's session. `left`: the page stays for a while, to continue after signing in again, because the session ended by
 * itself or isn't fresh enough.
 */
export type SessionState =
  | { readonly kind: "starting" }
  /** `isStale`: the session goes on, but something needs a fresh sign-in. */
  | { readonly kind: "signedOut"; readonly left: SignedIn | null; readonly isStale?: boolean }
  /** The sign-in needs the code of a second factor. */
  | { readonly kind: "needsFactor"; readonly left: SignedIn | null }
  /** They signed in with a one-time password and must choose a new one. */
  | { readonly kind: "mustChange"; readonly left: SignedIn | null }
  | SignedIn;

/** The session of this page. Its access token is only in a variable here; a cookie that scripts can't read renews it. */
export interface ConsoleSession {
  readonly state: ReadonlySignal<SessionState>;
  /** Continues the browser's session, if there is one. */
  restore(): Promise<void>;
  signIn(username: string, password: string): Promise<void>;
  /** Completes a sign-in with the code of an authenticator app, or a recovery code. */
  giveFactor(code: string): Promise<void>;
  /** Signs in by a passkey alone. */
  signInByPasskey(): Promise<void>;
  /** Completes a sign-in by a passkey. */
  givePasskey(): Promise<void>;
  /** Whether whoever is to give a second factor has a passkey. */
  hasPasskey(): Promise<boolean>;
  /** How people can sign in besides a password. */
  ways(): Promise<OtherWays>;
  /** Chooses a password to replace the one-time one. */
  choosePassword(newPassword: string): Promise<void>;
  /** Has a code mailed to an address, if an account has it. Nobody is told whether one does. */
  forgotPassword(email: string): Promise<void>;
  /** Sets a password with a mailed code: the first one of an account, or one instead of a forgotten one. */
  setPassword(code: string, newPassword: string): Promise<void>;
  signOut(): Promise<void>;
  /** Puts the page aside for what needs a fresh sign-in. Returns whether the person has signed in again, once they are back. */
  signInAgain(): Promise<boolean>;
  /** Returns to the page that `signInAgain` put aside. */
  goBack(): void;
}

export interface OtherWays {
  /** Where people sign in at the service's provider; `null` if it has none. */
  readonly provider: string | null;
  /** Whether the service and this browser have passkeys. */
  readonly passkey: boolean;
}

type TokenSet = Awaited<ReturnType<Api["sessions"]["create"]>>;

/** A token is replaced this long before it expires. */
const marginMs = 30_000;
/** How long pages wait for the event stream; what they read before it opens is read again. */
const openingMs = 500;
/** How long the page of an ended session stays. */
const keptMs = 15 * 60_000;

/** Creates the session of a page directly below the API's address. */
export function createSession(baseUrl: string): ConsoleSession {
  const state = signal<SessionState>({ kind: "starting" });
  const tokens = createTokens(baseUrl);
  /** Other tabs of this browser with the same session. */
  const tabs = new BroadcastChannel(`liveplane ${baseUrl}`);
  tabs.onmessage = forget;
  let oneTimePassword = "";
  const { end, askAgain, ...door } = atTheDoor(baseUrl);
  /** The session goes on behind the cookie while the person signs in again. */
  let isStale = false;
  let isBack: (isFresh: boolean) => void = () => {};

  /** Removes everything about the previous person from this tab. */
  function forget(): void {
    const { value } = state;
    tokens.forget();
    isStale = false;
    if (value.kind === "signedIn") value.live.stop();
    state.value = { kind: "signedOut", left: null };
  }

  /** The session has ended, but not by this tab. */
  function leave(): void {
    tokens.forget();
    putAside();
  }

  /** Keeps the page for a while until the same person has signed in again. */
  function putAside(): void {
    const { value } = state;
    if (value.kind !== "signedIn") return;
    value.live.stop();
    state.value = { kind: "signedOut", left: value, isStale };
    setTimeout(() => {
      if (leftIn(state.value) === value) state.value = { kind: "signedOut", left: null };
    }, keptMs);
  }

  function goBack(isFresh: boolean): void {
    const left = leftIn(state.value);
    if (left === null) return;
    isStale = false;
    void left.live.follow(left.api);
    state.value = left;
    isBack(isFresh);
  }

  async function enter(): Promise<void> {
    const left = leftIn(state.value);
    if (left !== null && (await left.api.accounts.me()).id === left.accountId) return goBack(true);
    state.value = await arrive(baseUrl, tokens, leave);
  }

  /** Continues with the tokens of a sign-in: to the second factor, to their own password, or to the pages. */
  async function proceed({ accessToken, expiresIn, forcePasswordChange, secondFactorRequired }: TokenSet) {
    tokens.keep(accessToken, expiresIn);
    const left = leftIn(state.value);
    if (secondFactorRequired) state.value = { kind: "needsFactor", left };
    else if (forcePasswordChange) state.value = { kind: "mustChange", left };
    else {
      oneTimePassword = "";
      // The earlier session would stay in the list of sessions.
      if (isStale) await end();
      isStale = false;
      await tokens.begin();
      await enter();
    }
  }

  return {
    ...door,
    ...byPasskey(baseUrl, tokens, proceed),
    state,
    async restore() {
      let isHalfway = false;
      try {
        if ((await tokens.renew()) !== null) return await enter();
      } catch (error) {
        // A provider's page leads here before the factor is given. Otherwise the sign-in page says what is wrong.
        isHalfway = isLiveplaneError(error, "SecondFactorRequired");
      }
      state.value = { kind: isHalfway ? "needsFactor" : "signedOut", left: null };
    },
    async signIn(username, password) {
      const begun = await createClient({ baseUrl }).sessions.create({ username, password });
      oneTimePassword = password;
      await proceed(begun);
    },
    async giveFactor(code) {
      const api = createClient({ baseUrl, token: () => tokens.current(() => {}) });
      await proceed(await api.sessions.createByFactor({ code }));
    },
    async choosePassword(newPassword) {
      const api = createClient({ baseUrl, token: () => tokens.current(() => {}) });
      await api.accounts.changePassword({ oldPassword: oneTimePassword, newPassword });
      oneTimePassword = "";
      await tokens.begin();
      await enter();
    },
    async signOut() {
      // The cookie would sign them in again, so they are signed out only after the server confirms.
      if (await end()) {
        forget();
        tabs.postMessage("signed out");
      } else if (state.value.kind === "signedIn") state.value.live.broke();
    },
    signInAgain() {
      isStale = true;
      askAgain();
      putAside();
      return new Promise((resolve) => {
        isBack = resolve;
      });
    },
    goBack: () => goBack(false),
  };
}

/** What the pages of somebody need who has just signed in. */
async function arrive(baseUrl: string, tokens: ReturnType<typeof createTokens>, leave: () => void): Promise<SignedIn> {
  const { api, live, server } = connect(baseUrl, tokens, leave);
  try {
    const opening = Promise.race([live.follow(api), new Promise((resolve) => setTimeout(resolve, openingMs))]);
    const [{ id, username, email }, { simulator, door }] = await Promise.all([
      api.accounts.me(),
      serverAt(server, () => tokens.current(leave)),
      opening,
    ]);
    const name = username ?? email ?? id;
    const ownAccount = async () => ({ id, name: (await api.names.find({ id: [id] })).items[0]?.name ?? name });
    const clouds: CloudsHere = simulator
      ? { kind: "simulated", hand: handThrough(simulator, ownAccount) }
      : { kind: "real" };
    return {
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

/** What needs no session. */
function atTheDoor(
  baseUrl: string,
): Pick<ConsoleSession, "ways" | "forgotPassword" | "setPassword"> & { end(): Promise<boolean>; askAgain(): void } {
  /** People who sign out and in again identify themselves at the provider too. */
  let isFresh = false;
  return {
    /** Ends the browser's session. `false`: the server couldn't be asked. */
    async end() {
      isFresh = await ask(baseUrl, "end").then(
        () => true,
        () => false,
      );
      return isFresh;
    },
    askAgain() {
      isFresh = true;
    },
    async ways() {
      const { openId, passkey } = await createClient({ baseUrl }).sessions.methods();
      const back = new URLSearchParams({ returnTo: new URL(baseUrl).pathname, ...(isFresh && { fresh: "1" }) });
      return { provider: openId ? `${baseUrl}auth/oidc/start?${back}` : null, passkey: passkey && knowsPasskeys() };
    },
    async forgotPassword(email) {
      await createClient({ baseUrl }).accounts.requestPasswordReset({ email });
    },
    async setPassword(code, newPassword) {
      const { accounts } = createClient({ baseUrl, token: code });
      try {
        await accounts.activate({ password: newPassword });
      } catch (error) {
        // A code doesn't show what it is for. The wrong use is refused and doesn't spend it.
        if (!isLiveplaneError(error, "ChallengeInvalid")) throw error;
        await accounts.resetPassword({ newPassword });
      }
    },
  };
}

/** The two ways in which a passkey signs in: alone, and after the password. */
function byPasskey(
  baseUrl: string,
  tokens: ReturnType<typeof createTokens>,
  proceed: (begun: TokenSet) => Promise<void>,
): Pick<ConsoleSession, "signInByPasskey" | "hasPasskey" | "givePasskey"> {
  const halfway = () => createClient({ baseUrl, token: () => tokens.current(() => {}) });
  return {
    async hasPasskey() {
      const { items } = await halfway().accounts.factors.list({ limit: 100 });
      return items.some(({ kind }) => kind === "passkey");
    },
    async signInByPasskey() {
      const { sessions } = createClient({ baseUrl });
      const credential = await signWithPasskey(await sessions.beginByPasskey());
      await proceed(await sessions.createByPasskey({ credential }));
    },
    async givePasskey() {
      const { sessions } = halfway();
      const credential = await signWithPasskey(await sessions.beginByPasskey());
      await proceed(await sessions.createByFactor({ credential }));
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
      // A request cancelled by the page says nothing about the network.
      if (!(input instanceof Request ? input.signal : init?.signal)?.aborted) live.broke();
      throw cause;
    });
    // The token was refused before it expired: the next request gets a new one.
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

/** The person whose session has ended while their page is still there. */
function leftIn(state: SessionState): SignedIn | null {
  return "left" in state ? state.left : null;
}

interface KnownToken {
  readonly token: string;
  readonly until: number;
}

/** The access token, and how to get another. */
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

  /** One renewal for however many calls wait. */
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
    /** The token to send. If there is none, the session has ended: `onEnd` is called, and the call fails. */
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

/** Calls the server's session endpoint. A network failure is temporary and doesn't sign out. */
async function ask(baseUrl: string, what: "begin" | "renew" | "end", token?: string): Promise<Response> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  try {
    return await fetch(`${baseUrl}console/session`, { method: "POST", headers, body: JSON.stringify({ do: what }) });
  } catch (cause) {
    throw new LiveplaneError("Unavailable", undefined, { cause });
  }
}
