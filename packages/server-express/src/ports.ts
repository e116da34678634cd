import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { azureCredential } from "@liveplane/adapters/azure-credentials";
import { googleCloud, googleCredential } from "@liveplane/adapters/google-cloud";
import { staticKeyRing } from "@liveplane/adapters/key-rings";
import { type NodeDefaults, nodeDefaults } from "@liveplane/adapters/node";
import {
  type Cloud,
  type Clouds,
  type DeviceAuthorizer,
  defaultSettings,
  type Mailer,
  type PipelineIssuer,
  type Runtime,
  type Scheduler,
  type Settings,
  type WebhookSender,
} from "@liveplane/core";
import { type AwsPlacement, awsPlaceOf } from "./configuration/aws-places.ts";
import { serviceAddress } from "./configuration/cloud-addresses.ts";
import type { ServerConfig } from "./configuration/config.ts";
import { servesPlace } from "./configuration/identity-places.ts";
import { openStore } from "./stores.ts";

/** Creates every port as configured. */
export async function openPorts(
  config: ServerConfig,
  { logger, metrics, tracer }: Partial<Pick<Runtime, "logger" | "metrics" | "tracer">> = {},
): Promise<NodeDefaults> {
  const signInIssuer = await signInIssuerOf(config);
  const passkeyVerifier = await passkeyVerifierOf(config);
  const ports = await nodeDefaults({
    ...(logger && { logger }),
    ...(metrics && { metrics }),
    ...(tracer && { tracer }),
    dataDir: config.dataDir,
    settings: settingsOf(config),
    ...(config.masterKey !== null && { keyRing: staticKeyRing({ keys: config.masterKey.split(",") }) }),
    mailer: await mailerOf(config),
    webhookSender: await webhookSenderOf(config),
    // By default SQLite in the data folder, which isn't there yet.
    ...((config.store.kind !== "sqlite" || config.store.at !== null) && { store: await openStore(config) }),
    ...(!config.simulatedClouds && { clouds: await realClouds(config) }),
    ...(config.pipelineIssuers.length > 0 && { pipelineIssuers: await pipelineIssuersOf(config) }),
    ...(config.scheduler === "pg-boss" && { scheduler: (runtime) => jobs(config, runtime) }),
  });
  return { ...ports, ...(signInIssuer && { signInIssuer }), ...(passkeyVerifier && { passkeyVerifier }) };
}

/** The provider that people sign in at; loaded only if configured. */
async function signInIssuerOf(config: ServerConfig) {
  const {
    oidcIssuer: issuer,
    oidcClientId: clientId,
    oidcClientSecret,
    oidcAcr: acrValues,
    oidcAmr: amrValues,
  } = config;
  if (issuer === null || clientId === null) return null;
  const { oidcSignIn } = await import("@liveplane/adapters/oidc-sign-in");
  const secret = oidcClientSecret === null ? {} : { clientSecret: oidcClientSecret };
  return oidcSignIn({ issuer, clientId, acrValues, amrValues, ...secret });
}

/** Passkeys belong to the console's address; the verifier is loaded only if there is one. */
async function passkeyVerifierOf({ consoleUrl }: ServerConfig) {
  return consoleUrl === "" ? null : (await import("@liveplane/adapters/passkey-verifier")).passkeyVerifier();
}

/** The sender of webhooks; loaded only if configured. */
async function webhookSenderOf(config: ServerConfig): Promise<WebhookSender | null> {
  const { webhooks, webhookOrigins: allow, webhooksToLoopback: allowLoopback } = config;
  return webhooks ? (await import("@liveplane/adapters/webhook-sender")).webhookSender({ allow, allowLoopback }) : null;
}

async function pipelineIssuersOf({ pipelineIssuers }: ServerConfig): Promise<readonly PipelineIssuer[]> {
  const { pipelineIssuer } = await import("@liveplane/adapters/external-issuer");
  return Promise.all(pipelineIssuers.map(pipelineIssuer));
}

/** The core's settings: members of the configuration with the same names. */
function settingsOf(config: ServerConfig): Partial<Settings> {
  const told: Partial<Settings> = config;
  const names = Object.keys(defaultSettings) as (keyof Settings)[];
  return Object.fromEntries(names.flatMap((name) => (name in told ? [[name, told[name]]] : [])));
}

async function mailerOf({ mail, mailFrom }: ServerConfig): Promise<Mailer> {
  if (mail?.kind === "folder")
    return (await import("@liveplane/adapters/folder-mailer")).folderMailer({ folder: mail.folder });
  if (mail?.kind === "smtp")
    return (await import("@liveplane/adapters/smtp-mailer")).smtpMailer({ url: mail.url, from: mailFrom });
  return (await import("@liveplane/adapters/log-mailer")).logMailer();
}

async function jobs({ store }: ServerConfig, runtime: Runtime): Promise<Scheduler> {
  const { pgBossScheduler } = await import("@liveplane/adapters/pg-boss-scheduler");
  return pgBossScheduler({ connectionString: store.at ?? "", runtime });
}

type AzureSignIn = Pick<ServerConfig["clouds"]["azure"], "managementUrl" | "loginUrl"> & { readonly clientId: string };

async function azureSignIn({ managementUrl, loginUrl, clientId }: AzureSignIn): Promise<DeviceAuthorizer> {
  const { entraIssuer, oidcDeviceAuthorizer } = await import("@liveplane/adapters/oidc-device-authorizer");
  return oidcDeviceAuthorizer({
    issuerFor: (tenantId) => entraIssuer(tenantId, loginUrl),
    clientId,
    scope: `${managementUrl}/.default`,
  });
}

/** AWS with the server's own identity; loaded only if an environment is placed there. */
async function awsOf(places: readonly AwsPlacement[]): Promise<readonly Cloud[]> {
  if (places.length === 0) return [];
  const { awsCloud, awsCredential } = await import("@liveplane/adapters/aws-cloud");
  const credentials = await awsCredential((account) => places.find((place) => place.account === account)?.role ?? null);
  return [awsCloud({ credentials })];
}

/**
 * Azure as provider A, Google Cloud as provider B, and AWS under its name. Where the server's own identity serves an environment, the agent uses it; elsewhere it
 * uses the sealed credentials of the last completed initialization.
 */
async function realClouds({ clouds: { azure, google }, aws, hostIdentityFor }: ServerConfig): Promise<Clouds> {
  const { managementUrl, loginUrl, clientId, identity } = azure;
  const credential = identity === null ? null : await azureCredential(identity);
  const authClient = google.identity === null ? null : await googleCredential();
  return {
    adapters: [
      azureCloud({ managementUrl, loginUrl, ...(credential && { credential }) }),
      googleCloud({
        urlOf: (service) => serviceAddress(google, service),
        tokenUrl: google.tokenUrl,
        ...(authClient && { authClient }),
      }),
      ...(await awsOf(aws)),
    ],
    ...(clientId !== null && { deviceAuthorizers: { "provider-a": await azureSignIn({ ...azure, clientId }) } }),
    async targetFor(environment, provider) {
      const place = provider === "aws" ? awsPlaceOf(aws, environment) : undefined;
      return place === undefined ? null : { scope: place.account, region: place.region };
    },
    hostIdentityFor: (place) =>
      place.provider === "aws"
        ? awsPlaceOf(aws, place.environment)?.account === place.scope
        : servesPlace(hostIdentityFor, place),
    retainProviderCredentials: true,
  };
}
