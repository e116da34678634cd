import type { Api } from "@liveplane/client";
import { ifFound } from "../app/if-found.ts";
import { useLoaded } from "../app/loaded.ts";
import type { useMay } from "../app/own-rights.ts";
import { useWorkplace } from "../app/workplace.ts";
import { accessTexts } from "../texts/access-texts.ts";
import { texts } from "../texts.ts";

const words = accessTexts;

/** A person, a service account or a team, by the name that people know. */
export interface NamedPrincipal {
  readonly principalType: "Account" | "Team";
  readonly principalId: string;
  readonly name: string;
  /** Of a team. */
  readonly shortName?: string;
}

/** The props of an organization page's parts. */
export interface OrganizationPartProps {
  readonly organizationId: string;
  readonly may: ReturnType<typeof useMay>;
}

/** Elsewhere than in an organization itself, names of this many people are offered. */
const mostOffered = 1_000;
/** Many requests, for names that are only offered. */
const againMs = 600_000;

/** Whom the forms of an organization offer, and whom somebody typed there. */
export function usePrincipals(organizationId: string) {
  const { api, door } = useWorkplace();
  const read = (signal: AbortSignal) => readPrincipals(api, { organizationId, isOperator: door !== null }, signal);
  const { loaded } = useLoaded({
    key: organizationId,
    load: read,
    isTouchedBy: ({ type }) => /^(permission|team)\./.test(type),
    againMs,
  });
  return {
    offered: loaded.value.value ?? [],
    typed: async (text: string) =>
      typedPrincipal(text, loaded.value.value ?? (await read(new AbortController().signal))),
  };
}

/** The teams of an organization, its members, and the people of the caller's other organizations; all people for an operator. */
async function readPrincipals(
  { accounts, organizations }: Api,
  { organizationId, isOperator }: { readonly organizationId: string; readonly isOperator: boolean },
  signal: AbortSignal,
): Promise<readonly NamedPrincipal[]> {
  const named = new Map<string, NamedPrincipal>();
  const add = (principalId: string, name: string | null) => {
    if (!named.has(principalId))
      named.set(principalId, { principalType: "Account", principalId, name: name ?? principalId });
  };
  const page = { limit: 200, signal };
  for await (const { principalId, name, id } of organizations.teams.list.all({ organizationId }, page)) {
    const { shortName } = id;
    named.set(principalId, {
      principalType: "Team",
      principalId,
      name: texts.parts.team(name ?? shortName),
      shortName,
    });
  }
  const addMembers = async (of: string) => {
    for await (const { principalId, name, email } of organizations.members.list.all({ organizationId: of }, page))
      add(principalId, name ?? email);
  };
  // The Admin of a team alone sees no members of the organization.
  await ifFound(addMembers(organizationId));
  if (isOperator) {
    for await (const { id, name, surname, username, email } of accounts.list.all(page)) {
      add(id, [name, surname].filter(Boolean).join(" ") || (username ?? email));
      if (named.size > mostOffered) break;
    }
  } else {
    for (const { id, ...one } of (await organizations.list({ limit: 20, signal })).items)
      if ("members" in one && id !== organizationId && named.size < mostOffered) await addMembers(id);
  }
  return [...named.values()];
}

/** The principal that was typed: a name that is known here, an e-mail address, or an ID. @internal */
export function typedPrincipal(
  typed: string,
  principals: readonly NamedPrincipal[],
): Pick<NamedPrincipal, "principalType" | "principalId"> {
  const wanted = typed.trim();
  const [found, another] = principals.filter(
    ({ name, principalId, shortName = name }) =>
      principalId === wanted ||
      [name, texts.parts.team(shortName)].some((one) => one.toLowerCase() === wanted.toLowerCase()),
  );
  if (another !== undefined) throw new RangeError(words.severalNamed(wanted));
  if (found !== undefined) return { principalType: found.principalType, principalId: found.principalId };
  if (!/@|^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(wanted)) throw new RangeError(words.nobodyNamed(wanted));
  return { principalType: "Account", principalId: wanted };
}
