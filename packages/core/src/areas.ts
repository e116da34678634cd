import type { ScopeResolvers } from "./access/access.ts";
import { createAccountArea } from "./accounts-area.ts";
import type { Target } from "./contract/target.ts";
import { createEnvironmentArea } from "./environment/environment-area.ts";
import { principalRegistry } from "./environment/principal-registry.ts";
import type { InstallationKeys } from "./keys/installation.ts";
import { createOverride } from "./override/override-area.ts";
import { createClaims } from "./records/claim.ts";
import type { Services } from "./services.ts";
import type { LiveplaneOptions } from "./settings.ts";
import { createWebhookArea } from "./webhooks/create-webhooks.ts";
import { namesOfWebhooks } from "./webhooks/webhook-record.ts";

type Shared = Pick<Services, "records" | "pages" | "runtime" | "settings" | "sealer" | "scheduler" | "log">;

/** Creates the areas and connects them: what one area asks of another goes through here. */
export function createAreas(
  options: LiveplaneOptions,
  { keys, ...shared }: Shared & { readonly keys: InstallationKeys },
) {
  const { store, clouds, sshKeys, hasher, mailer, tokens: signer, externalVerifier, signInIssuer } = options;
  const { pipelineIssuers = [], passkeyVerifier } = options;
  const claims = createClaims({ ...shared, exclusive: !store.capabilities.sharedByProcesses });
  const scopes: ScopeResolvers = {
    environment: (environment, reader) => environments.scopeOf(environment, reader),
    liveSystem: (id) => override.liveSystemScope(id),
    role: (environment, principalId) => environments.role(environment, principalId),
  };
  const account = createAccountArea({
    ...shared,
    hasher,
    signer,
    mailer,
    secretKey: keys.current,
    formerKeys: keys.former,
    scopes,
    claims,
    resourcesOf: (reader, owner) => override.resourcesOf(reader, owner),
    liveSystemsOf: (group) => override.liveSystemsOf(group),
    liveSystemNames: (reader, ids) => override.namesOf(reader, ids),
    webhookNames: namesOfWebhooks,
    holdings: {
      liveSystems: (reader, id) => override.holdings.of(reader, personal(id)),
      any: async (reader, id) =>
        (await environments.holdings.any(reader, id)) || (await override.holdings.of(reader, personal(id))).length > 0,
      async fence(change, id, stamp) {
        await environments.holdings.close(change, id, stamp);
        await override.holdings.fence(change, personal(id), stamp);
      },
      async release(id, isOver) {
        const isReleased = await override.holdings.release(personal(id), isOver);
        if (isReleased) await environments.holdings.destroy(id);
        return isReleased;
      },
      left: (reader, id, limit) => override.holdings.left(reader, id, limit),
      forget: (id) => override.holdings.forget(id),
    },
    pipelineIssuers,
    ...(externalVerifier && { externalVerifier }),
    ...(signInIssuer && { signInIssuer }),
    ...(passkeyVerifier && { passkeyVerifier }),
  });
  const { access, groupExists } = account;
  const principals = principalRegistry(account);
  const environments = createEnvironmentArea({
    ...{ ...shared, access, sshKeys, clouds, principals, groupExists, claims },
    secretUses: (environment, shortName) => override.secretUses(environment, shortName),
  });
  const override = createOverride({
    ...shared,
    access,
    clouds: clouds.adapters,
    environments: environments.directory,
    seats: account.seats,
    digestKey: keys.digests,
    claims,
    isStoreShared: store.capabilities.sharedByProcesses,
  });
  const webhooks = createWebhookArea({
    ...shared,
    claims,
    access,
    standing: account.owners.standing,
    accountOf: account.owners.accountOf,
    nameOf: account.owners.nameOf,
    mailOwner: (change, owner) => account.owners.mail(change, owner, "webhookPaused"),
    seesEvent: async (actor, event) => (await access.seesEvents(actor, [event]))[0] === true,
    closedTo: access.closedTo,
    scopeOf: (target) => ownerOf(target, scopes),
    factsOf: (componentId) => override.knownComponent(componentId),
    ...(options.webhookSender && { sender: options.webhookSender }),
  });
  return { account, environments, override, webhooks };
}

/** The owner of an environment or a live system; `null` if it doesn't exist. */
async function ownerOf(target: Target, { environment, liveSystem }: ScopeResolvers) {
  if (target.kind === "environment") return (await environment(target))?.owner ?? null;
  return target.kind === "liveSystem" ? ((await liveSystem(target.id))?.owner ?? null) : null;
}

const personal = (ownerId: string) => ({ type: "Personal", ownerId }) as const;
