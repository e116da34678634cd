import type { Api, TokenSet } from "@liveplane/core/contract";
import { isLiveplaneError } from "@liveplane/core/errors";
import { createClient } from "../client.ts";
import { UsageError } from "../usage-error.ts";
import type { CliHost } from "./host.ts";

const mostTries = 3;

interface HalfSignedIn {
  readonly url: string;
  readonly tokens: TokenSet;
  /** From the command line; otherwise the person is asked. */
  readonly code: string | undefined;
}

/** A terminal can't use a passkey; whoever has nothing else needs a browser or a recovery code. */
async function explainPasskeys(host: CliHost, api: Api) {
  const { items } = await api.accounts.factors.list({ limit: 100, signal: host.signal });
  const kinds = items.map(({ kind }) => kind);
  if (!kinds.includes("passkey") || kinds.includes("totp")) return;
  host.say("Passkeys work only in a browser: liveplane login --browser. Here, use one of your recovery codes.");
}

/** Completes a sign-in that needs a second factor; returns any other as it is. */
export async function withSecondFactor(host: CliHost, { url, tokens, code: given }: HalfSignedIn): Promise<TokenSet> {
  if (!tokens.secondFactorRequired) return tokens;
  const api = createClient({ baseUrl: url, token: tokens.accessToken });
  if (given === undefined) await explainPasskeys(host, api);
  for (let tries = 1; ; tries++) {
    const code = given ?? (await host.askSecret("Code of your authenticator app, or a recovery code: ")).trim();
    if (code === "")
      throw new UsageError("The account has a second factor, and its code is missing. Run the command again.");
    try {
      return await api.sessions.createByFactor({ code }, { signal: host.signal });
    } catch (error) {
      if (given !== undefined || tries === mostTries || !isLiveplaneError(error, "InvalidCredentials")) throw error;
      host.say(error.message);
    }
  }
}
