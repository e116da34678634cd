import { createHash } from "node:crypto";
import { join } from "node:path";
import { LiveplaneError } from "@liveplane/core/errors";
import { createClient } from "../client.ts";
import type { CliHost } from "./host.ts";
import { type KeptSession, sessionFile } from "./session-file.ts";

/** The variables of a pipeline. */
interface Told {
  readonly url: string;
  readonly clientId: string;
}

/** The source of a pipeline's token. */
interface TokenOfPipeline {
  /** Known only to this pipeline: what is issued for it is stored under its digest. */
  readonly proof: string;
  get(): Promise<string>;
}

/**
 * Signs in as a pipeline: by the token in `LIVEPLANE_ID_TOKEN`, or by one from a GitHub runner. Each is valid once, so the access token is
 * stored while it is valid, for later commands of the same job. `null`: this isn't a pipeline.
 */
export function pipelineToken(host: CliHost, { url, clientId }: Told): (() => Promise<string>) | null {
  const source = tokenOfPipeline(host, url);
  if (source === null) return null;
  const name = createHash("sha256")
    .update(JSON.stringify([url, clientId, source.proof]))
    .digest("hex")
    .slice(0, 32);
  const sessions = sessionFile({ folder: join(host.folder, `pipeline-${name}`), sleep: host.sleep });
  return () =>
    sessions.alone(async () => {
      const known = await sessions.read();
      if (known !== null && known.until > Date.now() + marginMs) return known.accessToken;
      const next = await exchanged(host, { url, clientId }, await source.get());
      await sessions.write(next);
      return next.accessToken;
    });
}

/** A token that expires sooner is replaced first. */
const marginMs = 30_000;

async function exchanged(host: CliHost, { url, clientId }: Told, token: string): Promise<KeptSession> {
  const { LIVEPLANE_ENVIRONMENT: environment } = host.environment;
  const { access_token: accessToken, expires_in: seconds } = await createClient({ baseUrl: url }).tokens.create({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    client_id: clientId,
    subject_token: token,
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    ...(environment && { environment }),
  });
  return { url, accessToken, refreshToken: "", until: Date.now() + seconds * 1000 };
}

function tokenOfPipeline({ environment, signal }: CliHost, url: string): TokenOfPipeline | null {
  const { LIVEPLANE_ID_TOKEN: given, LIVEPLANE_AUDIENCE: audience = url } = environment;
  if (given) return { proof: given, get: async () => given };
  const { ACTIONS_ID_TOKEN_REQUEST_URL: runner, ACTIONS_ID_TOKEN_REQUEST_TOKEN: proof } = environment;
  if (!runner || !proof) return null;
  return { proof, get: () => fromRunner({ runner, proof, audience, signal }) };
}

interface Runner {
  readonly runner: string;
  readonly proof: string;
  readonly audience: string;
  readonly signal: AbortSignal;
}

/** A new token each time, from GitHub's runner. */
async function fromRunner({ runner, proof, audience, signal }: Runner): Promise<string> {
  const address = new URL(runner);
  address.searchParams.set("audience", audience);
  try {
    const answer = await fetch(address, { headers: { authorization: `Bearer ${proof}` }, redirect: "error", signal });
    const value: unknown = answer.ok ? Reflect.get(Object(await answer.json()), "value") : undefined;
    if (typeof value === "string") return value;
  } catch (cause) {
    throw new LiveplaneError("Unavailable", "The runner didn't issue a token for this pipeline.", { cause });
  }
  throw new LiveplaneError(
    "Unauthenticated",
    "The runner didn't issue a token. Give the job the permission id-token: write.",
  );
}
