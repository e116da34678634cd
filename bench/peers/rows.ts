import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { environment } from "./answers.ts";

const directory = mkdtempSync(join(tmpdir(), "liveplane-bench-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));

/** A typical app's database: durable, with prepared statements. */
export const database = new Database(join(directory, "app.db"));
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
// One process owns the file, like ours, so reads take no locks.
database.pragma("locking_mode = EXCLUSIVE");
database.exec(`
  CREATE TABLE environment (type TEXT, ownerId TEXT, shortName TEXT, json TEXT, PRIMARY KEY (type, ownerId, shortName)) WITHOUT ROWID;
  CREATE TABLE person (id TEXT PRIMARY KEY, status TEXT) WITHOUT ROWID;
  CREATE TABLE login (id TEXT PRIMARY KEY, personId TEXT) WITHOUT ROWID;
  CREATE TABLE permission (organizationId TEXT, principalId TEXT, permission TEXT, PRIMARY KEY (organizationId, principalId, permission)) WITHOUT ROWID;
`);
const put = database.prepare<[string, string, string]>("INSERT INTO environment VALUES ('Personal', ?, ?, ?)");
const find = database.prepare<[string, string, string], { json: string }>(
  "SELECT json FROM environment WHERE type = ? AND ownerId = ? AND shortName = ?",
);
const held = database.prepare<[string, string, string], object>(
  "SELECT permission FROM permission WHERE organizationId = ? AND principalId = ? AND permission = ?",
);
const add = database.prepare<[string, string, string]>("INSERT INTO permission VALUES (?, ?, ?)");

// Two statements: joined into one, they take ten times as long.
const personOf = database.prepare<[string], string>("SELECT personId FROM login WHERE id = ?").pluck();
const statusOf = database.prepare<[string], string>("SELECT status FROM person WHERE id = ?").pluck();

/** The queries of the app's handlers. */
export const rows = {
  /** Whether a session hasn't ended and its account is active, which a token alone can't tell. */
  isSignedIn: (sessionId: string, accountId: string) =>
    personOf.get(sessionId) === accountId && statusOf.get(accountId) === "Active",
  /** An environment, as stored text. */
  environment: (type: string, ownerId: string, shortName: string) => find.get(type, ownerId, shortName)?.json ?? null,
  mayEdit: (organizationId: string, principalId: string) => held.get(organizationId, principalId, "Edit") !== undefined,
  /** Returns false if it was granted already. */
  grant(organizationId: string, principalId: string, permission: string): boolean {
    if (held.get(organizationId, principalId, permission) !== undefined) return false;
    add.run(organizationId, principalId, permission);
    return true;
  },
};

/** Creates what the requests are about: an environment, and an organization in which its owner may do everything. */
export function furnish(ownerId: string): {
  readonly ownerId: string;
  readonly organizationId: string;
  readonly sessionId: string;
} {
  const sessionId = crypto.randomUUID();
  const organizationId = crypto.randomUUID();
  database.prepare("INSERT INTO person VALUES (?, 'Active')").run(ownerId);
  put.run(ownerId, "bench", JSON.stringify({ ...(JSON.parse(environment) as object), createdBy: ownerId }));
  for (const permission of ["View", "Edit", "Admin"]) add.run(organizationId, ownerId, permission);
  database.prepare("INSERT INTO login VALUES (?, ?)").run(sessionId, ownerId);
  return { ownerId, organizationId, sessionId };
}
