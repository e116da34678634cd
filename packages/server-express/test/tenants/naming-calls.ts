import { type OperationId, parseRoute } from "@liveplane/core/contract";
import { calls } from "../../../core/test/callers/calls.ts";
import { definition, type Names } from "./two-tenants.ts";

/** What a call says beside its path. */
export interface Beside {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What a call says beside its path, by the names of somebody's things. */
export type Naming = (names: Names) => Beside;

/** The parameters of a path, by the names of somebody's things. A parameter that isn't known here is a type error at run time. */
export function pathOf(id: OperationId, names: Names): Record<string, string> {
  return Object.fromEntries(parseRoute(id).params.map((name) => [name, parameterOf(id, name)(names)]));
}

function parameterOf(id: OperationId, name: string): (names: Names) => string {
  if (name === "shortName")
    return shortNames[id.split(".").slice(0, 2).join(".")] ?? (({ environment }) => environment);
  const ofOwner = id.startsWith("accounts.webhooks.") ? ownHook[name] : organizationsHook[name];
  if (ofOwner !== undefined) return ofOwner;
  const known =
    id === "accounts.activateById" && name === "accountId" ? ({ waiting }: Names) => waiting : parameters[name];
  if (known === undefined)
    throw new RangeError(`${id} names something in its path that no case is known for: ${name}.`);
  return known;
}

const shortNames: Readonly<Record<string, (names: Names) => string>> = {
  "organizations.resourceGroups": ({ group }) => group,
  "organizations.teams": ({ team }) => team,
  "accounts.resourceGroups": ({ mine }) => mine,
};

const organizationsHook: Readonly<Record<string, (names: Names) => string>> = {
  webhookId: ({ webhook }) => webhook,
  deliveryId: ({ delivery }) => delivery,
};

const ownHook: typeof organizationsHook = {
  webhookId: ({ ownWebhook }) => ownWebhook,
  deliveryId: ({ ownDelivery }) => ownDelivery,
};

const parameters: Readonly<Record<string, (names: Names) => string>> = {
  type: () => "Organizational",
  ownerId: ({ organization }) => organization,
  profileShortName: ({ profile }) => profile,
  secretShortName: ({ secret }) => secret,
  principalId: ({ robot }) => robot,
  secretId: ({ robotSecret }) => robotSecret,
  identityId: ({ robotIdentity }) => robotIdentity,
  organizationId: ({ organization }) => organization,
  accountId: ({ owner }) => owner,
  subscriptionId: ({ subscription }) => subscription,
  id: ({ liveSystem }) => liveSystem,
  mutationId: ({ mutation }) => mutation,
  componentId: ({ component }) => component,
  sessionId: ({ session }) => session,
  factorId: ({ factor }) => factor,
};

const web = ({ organization: ownerId, environment: shortName }: Names) =>
  ({ type: "Organizational", ownerId, shortName }) as const;
const home = ({ owner: ownerId, home: shortName }: Names) => ({ type: "Personal", ownerId, shortName }) as const;
const full = ({ type, ownerId, shortName }: ReturnType<typeof web | typeof home>) => `${type}/${ownerId}/${shortName}`;
const group = ({ organization, group: shortName }: Names) => `Organizational/${organization}/${shortName}`;
const mine = ({ owner, mine: shortName }: Names) => `Personal/${owner}/${shortName}`;
const newHook = { name: "Chat", url: "https://receiver.example/hook" };
const toOrganization = { principalType: "Account", permissionType: "View" } as const;
const toTeam = { principalType: "Team", permissionType: "View" } as const;

/** Everything that an environment's definition may name. */
const inEnvironment: readonly Naming[] = [
  (names) => ({ body: { managementEnvironmentId: web(names) } }),
  (names) => ({ body: { managementEnvironmentId: home(names) } }),
  (names) => ({ body: { resourceGroups: [group(names)] } }),
  (names) => ({ body: { resourceGroups: [mine(names)] } }),
  ({ resource }) => ({ body: { resourceScopes: [resource] } }),
];

/** Everything that a live system's declaration may name, in an environment of one's own unless that is what is named. */
const inDeclaration = (own: Names): readonly Naming[] => {
  const shop = definition(web(own), { path: "network/new" });
  const declared = (members: object) => ({ ...shop, components: [{ ...shop.components[0], ...members }] });
  const inGroup = ({ organization: ownerId, group: shortName }: Names) => ({
    resourceGroupType: "Organizational",
    ownerId,
    shortName,
  });
  const inMine = ({ owner: ownerId, mine: shortName }: Names) => ({
    resourceGroupType: "Personal",
    ownerId,
    shortName,
  });
  return [
    (names) => ({ body: { ...shop, environmentId: web(names) } }),
    (names) => ({ body: { ...shop, environmentId: home(names), components: [] } }),
    (names) => ({ body: { ...shop, environmentId: web(names), resourceGroupId: inGroup(names) } }),
    (names) => ({
      body: { ...declared({ parameters: { password: { $secret: names.secret } } }), environmentId: web(names) },
    }),
    (names) => ({ body: { ...shop, resourceGroupId: inGroup(names) } }),
    (names) => ({ body: { ...shop, resourceGroupId: inMine(names) } }),
    (names) => ({ body: declared({ parameters: { password: { $secret: names.secret } } }) }),
    (names) => ({ body: declared({ resourceId: names.resource }) }),
  ];
};

/** Whom a grant may be for. */
const granting: readonly Naming[] = [
  ({ owner: principalId }) => ({ body: { ...toOrganization, principalId } }),
  ({ teamId: principalId }) => ({ body: { ...toTeam, principalId } }),
  ({ teamId: principalId }) => ({ body: { ...toOrganization, principalId } }),
  ({ owner: principalId }) => ({ body: { ...toTeam, principalId } }),
];

/** A pipeline that signs in by a token that nobody has given it. */
const exchanged = {
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token: "wrong",
  subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
} as const;

/** What a webhook is narrowed to. */
const narrowing: readonly Naming[] = [
  ({ liveSystem: livesystemId }) => ({ body: { ...newHook, livesystemId } }),
  (names) => ({ body: { ...newHook, environmentId: web(names) } }),
  (names) => ({ body: { ...newHook, environmentId: home(names) } }),
];

/** Every way in which an operation names something beside its path. */
export function namingsOf(id: OperationId, own: Names): readonly Naming[] {
  const byArea: Partial<Record<OperationId, readonly Naming[]>> = {
    "environments.create": inEnvironment,
    "environments.update": [
      ...inEnvironment,
      ({ profile: defaultCiCdProfileShortName }) => ({ body: { defaultCiCdProfileShortName } }),
    ],
    "environments.list": [
      ({ organization: ownerId }) => ({ query: { type: "Organizational", ownerId } }),
      ({ owner: ownerId }) => ({ query: { type: "Personal", ownerId } }),
      (names) => ({ query: { resourceGroup: group(names) } }),
      (names) => ({ query: { resourceGroup: mine(names) } }),
    ],
    "accounts.list": [({ email }) => ({ query: { email } }), ({ username }) => ({ query: { username } })],
    "sessions.create": [
      ({ username }) => ({ body: { username, password: "wrong" } }),
      ({ email: username }) => ({ body: { username, password: "wrong" } }),
    ],
    // A passkey says whose it is.
    "sessions.createByPasskey": [(names) => ({ body: { credential: signedBy(names, own) } })],
    "tokens.create": [
      ({ service: client_id }) => ({ body: { grant_type: "client_credentials", client_id, client_secret: "wrong" } }),
      ({ robot: client_id }) => ({ body: { grant_type: "client_credentials", client_id, client_secret: "wrong" } }),
      ({ session }) => ({ body: { grant_type: "refresh_token", refresh_token: `${session}.wrong` } }),
      ({ robot: client_id }) => ({ body: { ...exchanged, client_id } }),
      (names) => ({ body: { ...exchanged, client_id: own.robot, environment: full(web(names)) } }),
      (names) => ({ body: { ...exchanged, client_id: own.robot, environment: full(home(names)) } }),
    ],
    "tokens.revoke": [({ session }) => ({ body: { token: `${session}.wrong` } })],
    "accounts.resendChallenge": [({ email }) => ({ body: { email } })],
    "accounts.requestPasswordReset": [({ email }) => ({ body: { email } })],
    "organizations.update": [({ organization: organizationId }) => ({ body: { organizationId, description: "We." } })],
    "organizations.permissions.grant": granting,
    "organizations.permissions.revoke": granting,
    "organizations.resourceGroups.permissions.grant": granting,
    "organizations.resourceGroups.permissions.revoke": granting,
    "organizations.teams.permissions.grant": granting,
    "organizations.teams.permissions.revoke": granting,
    "names.find": [
      ({ owner: id }) => ({ query: { id } }),
      ({ robot: id }) => ({ query: { id } }),
      ({ teamId: id }) => ({ query: { id } }),
      ({ organization: id }) => ({ query: { id } }),
      ({ liveSystem: id }) => ({ query: { id } }),
    ],
    "permissions.explain": [
      ({ owner: principalId }) => ({ query: { principalType: "Account", principalId } }),
      ({ teamId: principalId }) => ({ query: { principalType: "Team", principalId } }),
      ({ group: resourceGroup }) => ({ query: { principalType: "Account", principalId: own.owner, resourceGroup } }),
    ],
    "subscriptions.create": [
      ({ owner: accountId }) => ({ query: { accountId }, body: { subscriptionType: "Discover" } }),
    ],
    "liveSystems.create": inDeclaration(own),
    "liveSystems.plan": inDeclaration(own),
    "liveSystems.deploy": inDeclaration(own),
    "liveSystems.planDeploy": inDeclaration(own),
    "liveSystems.list": [
      (names) => ({ query: { environment: full(web(names)) } }),
      (names) => ({ query: { environment: full(home(names)) } }),
      (names) => ({ query: { resourceGroup: group(names) } }),
    ],
    "liveSystems.health": [
      (names) => ({ query: { environment: full(web(names)) } }),
      (names) => ({ query: { resourceGroup: group(names) } }),
    ],
    "overrides.list": [(names) => ({ query: { environment: full(web(names)) } })],
    "accounts.webhooks.create": narrowing,
    "accounts.webhooks.update": narrowing,
    "organizations.webhooks.create": narrowing,
    "organizations.webhooks.update": narrowing,
    "events.follow": [({ liveSystem: livesystem }) => ({ query: { livesystem } })],
  };
  const isList = parseRoute(id).takes === "page";
  return [...(byArea[id] ?? []), ...(isList ? [({ cursor }: Names): Beside => ({ query: { cursor } })] : [])];
}

/** What a good call says beside its path that names nobody's things. */
export function plainly(id: OperationId, own: Names): Beside {
  const [first] = namingsOf(id, own);
  const { params, takes } = parseRoute(id);
  if (takes !== "body") return {};
  if (first !== undefined) return { body: first(own).body };
  return { body: calls[id]({}, "owner")[params.length > 0 ? 1 : 0] };
}

/*
 * What says nothing of anybody's: everything else that an operation can be told has to be named by a case above.
 */
const plain = new Set([
  // Texts, and other values of the caller's own.
  ...[
    "name",
    "surname",
    "displayName",
    "description",
    "icon",
    "iconUrl",
    "tags[]",
    "tags{}",
    "socialLinks[]",
    "requiresSecondFactor",
    "avatarUrl",
  ],
  ...[
    "phoneNumber",
    "pointers[]",
    "?pointers",
    "fingerprint",
    "parameters{}",
    "value",
    "reason",
    "ticket",
    "remindAt",
    "expiresAt",
    "version",
    "active",
  ],
  ...[
    "url",
    "format",
    "types[]",
    "isPrivate",
    "region",
    "multiplicator",
    "expirationDate",
    "maxNumberOfAccounts",
    "maxNumberOfOrganizations",
  ],
  ...["maxNumberOfLiveSystems", "maxNumberOfComponents"],
  // Words of a list.
  ...["{type}", "type", "?type", "resourceGroupType", "principalType", "?principalType", "permissionType", "status"],
  ...[
    "unconditionalWrites",
    "?status",
    "?drift",
    "?sort",
    "?limit",
    "?after",
    "subscriptionType",
    "serviceAccountRole",
    "deletionPolicy",
    "adopt",
  ],
  ...["grant_type", "token_type_hint", "subject_token_type", "scope", "provider", "?from", "?until", "?newest"],
  // Credentials: who has them has what they are for.
  ...["password", "oldPassword", "newPassword", "client_secret", "sshPrivateKeyData", "sshPrivateKeyPassphrase"],
  ...["subject_token", "code", "codeVerifier", "codeChallenge"],
  // Components of the declaration itself.
  ...[
    "path",
    "movedFrom",
    "dependsOn[]",
    "overrideWith",
    "muteDrift[]",
    "ignoreChanges[]",
    "allowExtraItems[]",
    "resourceName",
  ],
]);

/** What a passkey of somebody's would sign, if it were signed. */
function signedBy({ guarded, passkey }: Names, { passkeyChallenge }: Names) {
  const text = (of: string) => Buffer.from(of).toString("base64url");
  const clientDataJSON = text(JSON.stringify({ type: "webauthn.get", challenge: passkeyChallenge, origin: "x" }));
  const signed = { clientDataJSON, authenticatorData: "AA", signature: "AA", userHandle: text(guarded) };
  return { id: passkey, response: signed };
}

/** What an authenticator makes: random, and good for one account. */
const madeByPasskeys = [
  ...["credential.id", "credential.response.clientDataJSON", "credential.response.attestationObject"],
  ...["credential.response.authenticatorData", "credential.response.signature", "credential.response.transports[]"],
];

/** The same, of one operation. */
const plainOf: Readonly<Partial<Record<OperationId, readonly string[]>>> = {
  "accounts.factors.addPasskey": madeByPasskeys,
  "sessions.createByFactor": [...madeByPasskeys, "credential.response.userHandle"],
  "sessions.createByPasskey": madeByPasskeys,
  // What is in a cloud: the credentials say who may see it.
  "environments.providerA.authenticate": ["?tenantId"],
  // Its management environment is judged by the function that judges an environment's definition, which has cases above.
  "environments.providerA.initialize": [
    "tenantId",
    "subscriptionId",
    "managementEnvironmentId.ownerId",
    "managementEnvironmentId.shortName",
  ],
  "environments.providerA.locations": ["?subscriptionId", "?tenantId"],
  "environments.providerA.subscriptionLocations": ["?tenantId"],
  "environments.providerB.initialize": ["organizationId", "projectId"],
  "environments.providerB.locations": ["?projectName"],
  // What is in a cloud: only what lies in the environment's own place is looked for.
  "environments.resources.list": ["?provider", "?scope", "?type", "?nested"],
  "environments.resources.declare": ["resourceIds[]"],
  // What the caller gives a name to.
  "environments.ciCdProfiles.create": ["shortName"],
  "environments.ciCdProfiles.upsertMany": ["[].shortName"],
  "environments.secrets.create": ["shortName"],
  "environments.secrets.upsertMany": ["[].shortName"],
  "organizations.teams.upsert": ["shortName"],
  // An issuer that the host trusts, and a pattern: any number of service accounts may be bound to the same.
  "environments.serviceAccounts.federatedIdentities.create": ["issuer", "subject"],
  // A user name that is taken is told: there's no other way to choose one.
  "accounts.createWithCredentials": ["username"],
  // Held by the tests of addresses: what is made is another each time.
  "accounts.createWithEmail": ["email"],
  "accounts.update": ["email"],
};

/** Whether a member of what an operation can be told names nothing. */
export function isPlain(id: OperationId, member: string): boolean {
  const last = member.split(".").at(-1) ?? "";
  return plain.has(last) || plainOf[id]?.includes(member) === true;
}
