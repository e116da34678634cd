import { createClient } from "@liveplane/client";
import { createDemo } from "../../src/demo.ts";
import { type EndableServer, operatorPassword, type Person, personsPassword, startServer } from "../running-server.ts";
import { type Ids, own, someoneElses } from "./hostile-values.ts";

/** A server with somebody who attacks, and somebody whose things no attacker may see or change. */
export interface HostileWorld {
  readonly server: EndableServer;
  readonly tokens: HostileTokens;
  /** Signs the attackers in anew, where a slow machine has let so much time go by that their tokens end soon. */
  keepSignedIn(): Promise<void>;
  /** What stands for an id in a request, and the id. */
  readonly ids: readonly (readonly [Ids, Ids])[];
  /** Occurs in everything of the victim's that has a name or a value. */
  readonly canary: string;
  /** All that is the victim's, as the victim sees it. */
  victimsThings(): Promise<unknown>;
}

/** What each kind of attacker calls with. */
interface HostileTokens {
  readonly owner: string;
  readonly operator: string;
  readonly stranger: undefined;
}

const canary = "zq7canary";
/** Half of a token's life. */
const freshMs = 300_000;

/** Starts the server, and lets both have some of everything. */
export async function startHostileWorld(): Promise<HostileWorld> {
  const server = await startServer({ LIVEPLANE_REVEAL: "on", LIVEPLANE_VALIDATE_ANSWERS: "on" });
  const [attacker, victim] = [await server.person("ada"), await server.person("victor")];
  const signIn = async (username: string, password: string) =>
    (await createClient({ baseUrl: server.url }).sessions.create({ username, password })).accessToken;
  let tokens: HostileTokens = {
    owner: attacker.token,
    operator: await signIn("operator", operatorPassword),
    stranger: undefined,
  };
  let signedInAt = performance.now();
  const owner = createClient({ baseUrl: server.url, credentials: { username: "victor", password: personsPassword } });
  const environment = { type: "Personal", ownerId: victim.id, shortName: "demo" } as const;
  const ids = [
    [own, await furnished(server, attacker, "web")] as const,
    [someoneElses, await furnished(server, victim, canary)] as const,
  ];
  await victim.api.environments.update(environment, { name: canary });
  const { livesystemId, organizationId } = ids[1]?.[1] ?? someoneElses;
  return {
    server,
    get tokens() {
      return tokens;
    },
    async keepSignedIn() {
      if (performance.now() - signedInAt < freshMs) return;
      const [own, operator] = [await signIn("ada", personsPassword), await signIn("operator", operatorPassword)];
      tokens = { owner: own, operator, stranger: undefined };
      signedInAt = performance.now();
    },
    ids,
    canary,
    async victimsThings() {
      const secrets: string[] = [];
      for await (const { shortName, currentVersion } of owner.environments.secrets.list.all(environment))
        secrets.push(`${shortName} ${currentVersion}`);
      const components: string[] = [];
      for await (const { id, resourceId } of owner.liveSystems.components.list.all({ id: livesystemId }))
        components.push(`${id} ${resourceId}`);
      const { name } = await owner.organizations.get({ organizationId });
      const { version } = await owner.environments.get(environment);
      return { secrets, components, name, version };
    },
  };
}

async function furnished(server: EndableServer, { id, api }: Person, name: string): Promise<Ids> {
  const demo = await createDemo(server.liveplane, id, AbortSignal.timeout(60_000));
  const { id: organizationId } = await api.organizations.create({ name });
  const environment = { type: "Personal", ownerId: id, shortName: "demo" } as const;
  await Promise.all([
    api.organizations.teams.upsert({ organizationId }, { shortName: name }),
    api.organizations.resourceGroups.upsert({ organizationId, shortName: name }, {}),
    api.accounts.resourceGroups.upsert({ shortName: name }, {}),
    api.environments.secrets.create(environment, { shortName: name, value: name }),
  ]);
  return { accountId: id, organizationId, livesystemId: demo.livesystemId, resourceId: demo.resourceId };
}
