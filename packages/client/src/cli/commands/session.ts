import { isLiveplaneError } from "@liveplane/core/errors";
import { createClient } from "../../client.ts";
import { takeFlags } from "../arguments.ts";
import { type Command, exitCodes } from "../command.ts";
import { sessionsOf } from "../connection.ts";
import type { CliHost } from "../host.ts";
import { ageOf, tableOf } from "../tables.ts";

/** Where a newcomer's server listens. */
const usualUrl = "http://127.0.0.1:8080";

/** Signs in: the password is asked for, or read from standard input, and stands in no argument. */
export async function login(host: CliHost, args: readonly string[]): Promise<number> {
  const given = takeFlags(args, { url: { type: "string" }, username: { type: "string" } });
  const url = (given.text("url") ?? host.environment.LIVEPLANE_URL ?? usualUrl).replace(/\/+$/, "");
  const username = given.text("username") ?? (await host.ask("User name or e-mail address: "));
  const password = await host.askSecret("Password: ");
  const first = await createClient({ baseUrl: url }).sessions.create({ username, password });
  const tokens = first.forcePasswordChange
    ? await withOwnPassword(host, { url, username, password, token: first.accessToken })
    : first;
  await sessionsOf(host).alone(() =>
    sessionsOf(host).write({
      url,
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken,
      until: Date.now() + tokens.expiresIn * 1000,
    }),
  );
  host.say(`Signed in to ${url} as ${username}.`);
  return exitCodes.done;
}

interface OneTime {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly token: string;
}

/** Whoever has a password for once chooses one of their own before anything else. */
async function withOwnPassword(host: CliHost, { url, username, password: oldPassword, token }: OneTime) {
  host.say("This password is good once: choose your own.");
  for (;;) {
    const newPassword = await host.askSecret("New password: ");
    if ((await host.askSecret("Once more: ")) !== newPassword) {
      host.say("They differ.");
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

/** Ends the session, here and at the service. */
export const logout: Command = {
  takes: "",
  summary: "ends the session",
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

/** Who one is, and what stands out. */
export const status: Command = {
  takes: "",
  summary: "who you are, where, and how your live systems stand",
  words: [0, 0],
  async run({ host, api, url, given }) {
    const { signal } = host;
    const systems: Record<string, unknown>[] = [];
    for await (const { id, name, status, lastMutation } of api.liveSystems.list.all({ signal }))
      systems.push({
        "live system": name,
        id,
        status,
        "last mutation": lastMutation?.status ?? null,
        error: lastMutation?.error?.code ?? null,
      });
    let open = 0;
    let oldest: string | null = null;
    for await (const { override } of api.overrides.list.all({ sort: "age", signal })) {
      open += 1;
      oldest ??= override.since;
    }
    if (given.isSet("json")) host.print(`${JSON.stringify({ url, systems, overrides: { open, oldest } })}\n`);
    else {
      host.print(`${url}\n`);
      if (systems.length > 0) host.print(tableOf(systems, host.columns));
      host.print(
        open === 0
          ? "Nobody has taken anything over.\n"
          : `${open} overrides, the oldest for ${ageOf(oldest ?? "", Date.now())}: liveplane overrides\n`,
      );
    }
    return exitCodes.done;
  },
};
