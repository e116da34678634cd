import { randomUUID } from "node:crypto";
import type { Liveplane } from "@liveplane/core";
import { liveplaneRouter } from "@liveplane/server-express";
import express, { type Express } from "express";

/** The app's own users: their names, and the control plane account of each. */
export type People = Map<string, string>;

/** An app with its own login, and the control plane below a path of its choice. */
export function createApp(liveplane: Liveplane, people: People): Express {
  const sessions = new Map<string, string>();
  const host = liveplane.as({ kind: "system", name: "app" });
  const app = express();

  app.use("/control-plane", liveplaneRouter(liveplane));

  // A real login proves who somebody is. The account is created on the first visit.
  app.post("/login/:name", async (request, response) => {
    const { name } = request.params;
    const known = people.get(name);
    const { id } = known === undefined ? await host.accounts.createWithCredentials(credentials(name)) : { id: known };
    people.set(name, id);
    const session = randomUUID();
    sessions.set(session, id);
    response.cookie("session", session, { httpOnly: true, sameSite: "strict" }).sendStatus(204);
  });

  // No token is needed: the app vouches for its signed-in user, and the user's own permissions apply.
  app.post("/environments/:shortName", async (request, response) => {
    const accountId = sessions.get(/session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "");
    if (accountId === undefined) return void response.sendStatus(401);
    const api = liveplane.as({ kind: "account", accountId });
    const { shortName } = request.params;
    response.json(await api.environments.create({ type: "Personal", ownerId: accountId, shortName }, {}));
  });
  return app;
}

/** Nobody signs in with this password, because the app has its own login. */
function credentials(username: string) {
  return { username, password: randomUUID() };
}
