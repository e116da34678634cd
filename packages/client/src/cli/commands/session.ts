import type { TokenSet } from "@liveplane/core/contract";
import { isLiveplaneError } from "@liveplane/core/errors";
import { createClient } from "../../client.ts";
import { UsageError } from "../../usage-error.ts";
import { type Arguments, takeFlags } from "../arguments.ts";
import { type BrowserPlace, requireProvider, signInByBrowser, withCode } from "../browser-sign-in.ts";
import { type Command, exitCodes } from "../command.ts";
import { requireUrl, sessionsOf } from "../connection.ts";
import type { CliHost } from "../host.ts";
import { withSecondFactor } from "../second-factor.ts";
import { ageOf, tableOf } from "../tables.ts";

/** The address of a local server with default settings. */
const usualUrl = "http://localhost:8080";

const device = { device: { type: "boolean" } } as const;

/** Signs in in a browser, or by a password, which is asked for or read from standard input and is in no argument. */
export async function login(host: CliHost, args: readonly string[]): Promise<number> {
  const flags = {
    url: { type: "string" },
    username: { type: "string" },
    code: { type: "string" },
    browser: { type: "boolean" },
    oidc: { type: "boolean" },
    fresh: { type: "boolean" },
    ...device,
  } as const;
  const given = await takeFlags(args, flags);
  const named = given.words[0] ?? given.text("username");
  if (given.words.length > 1 || (given.words.length === 1 && given.text("username") !== undefined))
    throw new UsageError("login takes one user name. The password isn't passed as a word; login asks for it.");
  const flag = given.text("url");
  // Whoever is signed in signs in there again.
  const kept = await sessionsOf(host).read();
  const address = flag ?? host.environment.LIVEPLANE_URL ?? kept?.url ?? usualUrl;
  const url = requireUrl(flag === undefined ? "LIVEPLANE_URL" : "--url", address);
  const at = placeOf(given);
  await requireService(url, host.signal);
  const whole = (tokens: TokenSet) => withSecondFactor(host, { url, tokens, code: given.text("code") });
  if (at !== null) {
    const tokens = await whole(await signInByBrowser(host, { url, isElsewhere: given.isSet("device"), at }));
    const { username, email } = await createClient({ baseUrl: url, token: tokens.accessToken }).accounts.me();
    return keepSession(host, { url, tokens, name: username ?? email ?? "" });
  }
  const username = named ?? (await host.ask("User name or e-mail address: "));
  const password = await host.askSecret("Password: ");
  // That is also what input that has ended gives.
  if (password === "") throw new UsageError("No password was given.");
  const first = await whole(await createClient({ baseUrl: url }).sessions.create({ username, password }));
  const tokens = first.forcePasswordChange
    ? await whole(await withOwnPassword(host, { url, username, password, token: first.accessToken }))
    : first;
  return keepSession(host, { url, tokens, name: username });
}

/** Nobody types a password before it is clear that a service is there. */
async function requireService(url: string, signal: AbortSignal): Promise<void> {
  try {
    await createClient({ baseUrl: url, retries: 0 }).sessions.methods({ signal });
  } catch (error) {
    if (!isLiveplaneError(error, "NotFound")) throw error;
    throw new UsageError(`There is no liveplane service at ${url}. Check the address.`);
  }
}

/** Where in a browser to sign in; `null`: by a password. */
function placeOf({ isSet }: Pick<Arguments, "isSet">): BrowserPlace | null {
  const isAtProvider = isSet("oidc") || (isSet("device") && !isSet("browser"));
  if (isSet("fresh") && !isAtProvider)
    throw new UsageError("--fresh needs --oidc or --device. Any other sign-in is always fresh.");
  if (isSet("browser") && isSet("oidc")) throw new UsageError("Give --browser or --oidc, not both.");
  if (isAtProvider) return isSet("fresh") ? "provider, again" : "provider";
  return isSet("browser") ? "console" : null;
}

interface Begun {
  readonly url: string;
  readonly tokens: TokenSet;
  readonly name: string;
}

async function keepSession(host: CliHost, { url, tokens, name }: Begun): Promise<number> {
  const { accessToken, refreshToken, expiresIn } = tokens;
  const until = Date.now() + expiresIn * 1000;
  await sessionsOf(host).alone(() => sessionsOf(host).write({ url, accessToken, refreshToken, until }));
  host.say(`Signed in to ${url} as ${name}.`);
  return exitCodes.done;
}

interface OneTime {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly token: string;
}

/** Whoever signs in with a one-time password chooses a new one first. */
async function withOwnPassword(host: CliHost, { url, username, password: oldPassword, token }: OneTime) {
  host.say("That was a one-time password. Choose your own; a passphrase works well.");
  for (;;) {
    const newPassword = await host.askSecret("New password: ");
    if (newPassword === "") throw new UsageError("No new password was given. The one-time password is still valid.");
    if ((await host.askSecret("Repeat the password: ")) !== newPassword) {
      host.say("The passwords differ. Try again.");
      continue;
    }
    try {
      await createClient({ baseUrl: url, token }).accounts.changePassword({ oldPassword, newPassword });
      return await createClient({ baseUrl: url }).sessions.create({ username, password: newPassword });
    } catch (error) {
      if (!isLiveplaneError(error, "WeakPassword") && !isLiveplaneError(error, "ValidationFailed")) throw error;
      host.say(error.message);
    }
  }
}

const guide = "https://github.com/liveplane/liveplane/blob/main/docs/how-to/sign-in.md";

/** Links the caller's identity at the service's OpenID provider to their account. */
export const link: Command = {
  takes: "[--device]",
  summary: "links your identity at the service's OpenID provider to your account",
  flags: device,
  words: [0, 0],
  async run({ host, api, url, given }) {
    const { signal } = host;
    await requireProvider(api, signal, `There is nothing to link. How an operator sets one up: ${guide}`);
    const { url: start } = await api.accounts.identities.authorize({ signal });
    const visit = { start: `${url}${start}`, codeVerifier: null, isElsewhere: given.isSet("device") };
    const { subject, email } = await withCode(host, visit, (code) =>
      api.accounts.identities.link({ code }, { signal }),
    );
    host.say(`Linked ${email ?? subject}. You can now sign in with liveplane login --oidc.`);
    return exitCodes.done;
  },
};

/** Ends the session, locally and at the service. */
export const logout: Command = {
  takes: "",
  summary: "signs out",
  words: [0, 0],
  async run({ host, api }) {
    const sessions = sessionsOf(host);
    const kept = await sessions.read();
    if (kept !== null) await api.tokens.revoke({ token: kept.refreshToken }, { signal: host.signal });
    await sessions.remove();
    host.say("Signed out.");
    return exitCodes.done;
  },
};

/** Shows who is signed in, and what needs attention. */
export const status: Command = {
  takes: "",
  summary: "shows the service, your live systems and your overrides",
  words: [0, 0],
  async run({ host, api, url, given }) {
    const { signal } = host;
    const health = new Map<string, string>();
    for await (const { id, counts } of api.liveSystems.health.all({ signal })) health.set(id, healthIn(counts));
    const systems: Record<string, unknown>[] = [];
    for await (const { id, name, status, lastMutation } of api.liveSystems.list.all({ signal }))
      systems.push({
        "live system": name,
        ...{ id, status, components: health.get(id) ?? null },
        "last mutation": lastMutation?.status ?? null,
        error: lastMutation?.error?.code ?? null,
      });
    let open = 0;
    let oldest: string | null = null;
    for await (const { override } of api.overrides.list.all({ sort: "age", signal })) {
      open += 1;
      oldest ??= override.since;
    }
    if (given.isSet("json")) host.print(JSON.stringify({ url, systems, overrides: { open, oldest } }));
    else {
      host.print(url);
      if (systems.length > 0) host.print(tableOf(systems, host.columns));
      host.print(
        open === 0
          ? "No overrides."
          : `${open === 1 ? "1 override, opened" : `${open} overrides, the oldest opened`} ${ageOf(oldest ?? "", Date.now())} ago. Run liveplane overrides to list ${open === 1 ? "it" : "them"}.`,
      );
    }
    return exitCodes.done;
  },
};

/** How many components have each health: `3 InSync, 1 Failing`. */
function healthIn(counts: Readonly<Record<string, number | undefined>>): string {
  return Object.entries(counts)
    .map(([health, count]) => `${count} ${health}`)
    .join(", ");
}
