import type { Api } from "@liveplane/client";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";

/** In this many organizations people are looked for: anyone who is in more sees the ids of the others. */
const mostOrganizations = 20;

const nobody: ReadonlyMap<string, string> = new Map();

/** People by their ids, as far as anyone who is signed in may read their names: their own, and those of their organizations. */
export function useNames(): ReadonlyMap<string, string> {
  const { api } = useWorkplace();
  const { loaded } = useLoaded({
    key: "names",
    load: (signal) => readNames(api, signal),
    isTouchedBy: ({ type }) => /^(account|organization|permission|team)\./.test(type),
  });
  return loaded.value.value ?? nobody;
}

async function readNames({ accounts, organizations }: Api, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const [{ id, username, email }, own] = await Promise.all([
    accounts.me({ signal }),
    organizations.list({ limit: mostOrganizations, signal }),
  ]);
  const names = new Map([[id, username ?? email ?? id]]);
  for (const { id: organizationId } of own.items) {
    for await (const { principalId, name } of organizations.members.list.all(
      { organizationId },
      { limit: 200, signal },
    ))
      if (name !== null) names.set(principalId, name);
  }
  return names;
}
