// A step of a pipeline: rotates a secret and an SSH profile of an environment, as a service account with the role CiCd. Each is created or
// updated in one call that is safe to repeat; the values come from the pipeline's own vault. Needs LIVEPLANE_URL, CLIENT_ID, CLIENT_SECRET,
// OWNER_ID, SSH_KEY_FILE and DB_PASSWORD; prints a version and a fingerprint, but no value.
import { readFile } from "node:fs/promises";
import { createClient, isLiveplaneError } from "@liveplane/client";

const { LIVEPLANE_URL = "", CLIENT_ID = "", CLIENT_SECRET = "", OWNER_ID = "", SSH_KEY_FILE = "" } = process.env;
const production = { type: "Personal", ownerId: OWNER_ID, shortName: "production" } as const;

const api = createClient({
  baseUrl: LIVEPLANE_URL,
  credentials: { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
});

try {
  const [secret] = await api.environments.secrets.upsertMany(production, [
    { shortName: "db", value: process.env.DB_PASSWORD ?? null },
  ]);
  const [profile] = await api.environments.ciCdProfiles.upsertMany(production, [
    { shortName: "deploy", sshPrivateKeyData: await readFile(SSH_KEY_FILE, "utf8") },
  ]);
  console.log(`db is at version ${secret?.currentVersion}`);
  console.log(`deploy signs with ${profile?.fingerprint}`);
} catch (error) {
  if (!isLiveplaneError(error)) throw error;
  // A code to act on, a sentence to read, and the wrong places; never a sent value.
  console.error(`${error.code}: ${error.message}`);
  for (const { pointer, detail } of error.details.errors ?? []) console.error(`  ${pointer ?? ""} ${detail}`);
  process.exitCode = 1;
}
