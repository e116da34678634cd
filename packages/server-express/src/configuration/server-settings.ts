import { defaultSettings, type IdentityPlace, type PlanLimits } from "@liveplane/core";
import type { RateLimits } from "@liveplane/core/http";
import { type AwsPlacement, readAwsPlaces } from "./aws-places.ts";
import { readAddress, readClientId, readIssuer, readServiceAddress } from "./cloud-addresses.ts";
import { readIdentityPlaces } from "./identity-places.ts";
import { type PipelineIssuerSetting, readPipelineIssuers } from "./pipeline-issuers.ts";
import {
  flag,
  inUnitsOf,
  list,
  type MailTarget,
  mapped,
  named,
  number,
  oneOf,
  optional,
  readClaimValues,
  readContact,
  readDatabase,
  readFlag,
  readHours,
  readKeys,
  readLimits,
  readList,
  readMail,
  readMetricsToken,
  readOrigins,
  readPage,
  readPlans,
  readProxies,
  text,
  whole,
} from "./settings.ts";
import { readStore } from "./store-address.ts";

const mebibyte = 1_048_576;
const daySeconds = 86_400;

/** Every setting of the reference server, by its member in the configuration. */
export const settings = {
  host: named("HOST", text("localhost", "address to listen on; localhost: 127.0.0.1 and ::1")),
  port: named(
    "PORT",
    whole(8080, [0, 65_535], "port to listen on; 0 picks a free one; unset: 8080 or the next free port"),
  ),
  dataDir: named("LIVEPLANE_DATA", text(".liveplane", "folder for the database and the keys")),
  databaseUrl: named("DATABASE_URL", optional("Postgres URL, the same as in LIVEPLANE_STORE", readDatabase)),
  store: named(
    "LIVEPLANE_STORE",
    optional(
      "sqlite:<file>, node-sqlite:<file>, postgres://…, pglite:<folder>, keyv:<address> or memory:; SQLite in the data folder if unset",
      readStore,
    ),
  ),
  operatorPassword: named(
    "LIVEPLANE_OPERATOR_PASSWORD",
    optional("password of the account `operator`; generated if unset"),
  ),
  masterKey: named(
    "LIVEPLANE_MASTER_KEY",
    optional(
      "key-encryption key, 32 bytes in base64; a file in the data folder if unset; required with Postgres",
      readKeys,
    ),
  ),
  scheduler: named(
    "LIVEPLANE_SCHEDULER",
    oneOf(
      ["interval", "pg-boss"],
      "interval",
      "interval: every process checks everything; pg-boss: processes share the work through Postgres",
    ),
  ),
  checkSeconds: named(
    "LIVEPLANE_CHECK_SECONDS",
    number(
      defaultSettings.checkSeconds,
      [0.1, 86_400],
      "interval in seconds at which every component is checked; 5 in the demo if unset",
    ),
  ),
  openRegistration: named(
    "LIVEPLANE_OPEN_REGISTRATION",
    flag(defaultSettings.openRegistration, "whether anyone may register with a user name and password"),
  ),
  oidcIssuer: named(
    "LIVEPLANE_OIDC_ISSUER",
    optional("issuer URL of an OpenID provider where people may sign in", readIssuer),
  ),
  oidcClientId: named("LIVEPLANE_OIDC_CLIENT_ID", optional("this server's client ID at that provider")),
  oidcClientSecret: named("LIVEPLANE_OIDC_CLIENT_SECRET", optional("secret of that client; a public client if unset")),
  oidcAcr: named(
    "LIVEPLANE_OIDC_ACR",
    list<string>(
      [],
      "acr values of that provider that prove a second factor; asked for; comma-separated",
      readClaimValues,
    ),
  ),
  oidcAmr: named(
    "LIVEPLANE_OIDC_AMR",
    list<string>(
      [],
      "amr values of that provider that prove a second factor, such as mfa; comma-separated",
      readClaimValues,
    ),
  ),
  provisioning: named(
    "LIVEPLANE_OIDC_PROVISION",
    oneOf(
      ["off", "verified-email"],
      defaultSettings.provisioning,
      "off, or verified-email: people with a verified address get an account",
    ),
  ),
  rateLimits: named("LIVEPLANE_RATE_LIMITS", {
    default: {} as RateLimits,
    shown: "",
    help: "off, or a JSON map from buckets to quotas",
    read: readLimits,
  }),
  plans: named("LIVEPLANE_PLANS", {
    default: {} as PlanLimits,
    shown: "",
    help: "JSON map of the limits of plans; no limits if unset",
    read: readPlans,
  }),
  trustedProxies: named("LIVEPLANE_TRUST_PROXY", {
    default: 0,
    shown: "0",
    help: "number of trusted proxies in front of the server; true means 1",
    read: readProxies,
  }),
  revealOverHttp: named(
    "LIVEPLANE_REVEAL",
    flag(defaultSettings.revealOverHttp, "whether secrets may be revealed over HTTP"),
  ),
  requireIfMatch: named(
    "LIVEPLANE_REQUIRE_IF_MATCH",
    flag(defaultSettings.requireIfMatch, "whether changes and deletions of versioned records require If-Match"),
  ),
  validateAnswers: named(
    "LIVEPLANE_VALIDATE_ANSWERS",
    flag(defaultSettings.validateAnswers, "whether answers are checked against their schemas, for development"),
  ),
  /** `null` for the log. */
  mail: named(
    "LIVEPLANE_MAIL",
    optional<MailTarget>("SMTP URL, or dir:<folder>; mail goes to the log if unset", readMail),
  ),
  mailFrom: named("LIVEPLANE_MAIL_FROM", text("liveplane@localhost", "sender address of mails")),
  webhooks: named(
    "LIVEPLANE_WEBHOOKS",
    flag(true, "whether webhooks are allowed; they are sent over https to public addresses"),
  ),
  webhookOrigins: named(
    "LIVEPLANE_WEBHOOK_ORIGINS",
    list<string>([], "origins that webhooks may also be sent to, even private ones; comma-separated", readOrigins),
  ),
  consoleUrl: named("LIVEPLANE_CONSOLE_URL", text("", "URL of the console, used in links and for passkeys", readPage)),
  securityContact: named(
    "LIVEPLANE_SECURITY_CONTACT",
    optional("mailto: or https: address for reports of vulnerabilities, in /.well-known/security.txt", readContact),
  ),
  overdueHours: named(
    "LIVEPLANE_OVERDUE_HOURS",
    list(
      defaultSettings.overdueHours,
      "ages of an override, in hours, at which a reminder is sent; comma-separated",
      readHours,
    ),
  ),
  requireSecondFactor: named(
    "LIVEPLANE_SECOND_FACTOR",
    oneOf(
      ["nobody", "operators", "everybody"],
      defaultSettings.requireSecondFactor,
      "people who must sign in with a second factor: nobody, operators or everybody",
    ),
  ),
  restoredTag: named(
    "LIVEPLANE_RESTORED_TAG",
    oneOf(
      ["resume-when-clean", "resume", "wait"],
      defaultSettings.restoredTag,
      "effect of restoring only the management tag: resume-when-clean, resume or wait",
    ),
  ),
  keptMutations: named(
    "LIVEPLANE_KEPT_MUTATIONS",
    whole(defaultSettings.keptMutations, [1, 1_000_000], "number of mutations kept for each live system"),
  ),
  keptDefinitionBytes: named(
    "LIVEPLANE_KEPT_DEFINITIONS",
    inUnitsOf(mebibyte, defaultSettings.keptDefinitionBytes, (mebibytes) =>
      whole(mebibytes, [1, 65_536], "MiB of definitions kept for each live system"),
    ),
  ),
  keptEpisodes: named(
    "LIVEPLANE_KEPT_OVERRIDES",
    whole(defaultSettings.keptEpisodes, [1, 1_000_000], "number of overrides kept in each component's ledger"),
  ),
  episodeSeconds: named(
    "LIVEPLANE_KEPT_OVERRIDE_DAYS",
    inUnitsOf(daySeconds, defaultSettings.episodeSeconds, (days) =>
      whole(days, [1, 36_500], "days that the ledger keeps an override after it ended"),
    ),
  ),
  simulatedClouds: named(
    "LIVEPLANE_SIMULATED_CLOUDS",
    flag(true, "whether clouds are simulated; if false, Azure and Google Cloud are used"),
  ),
  azureClientId: named(
    "LIVEPLANE_AZURE_CLIENT_ID",
    optional("ID of a public client for signing in to Azure by device; off if unset", readClientId),
  ),
  azureCredentials: named(
    "LIVEPLANE_AZURE_CREDENTIALS",
    mapped(
      oneOf(
        ["none", "default", "managed-identity", "workload-identity", "cli"],
        "none",
        "source of the server's own identity in Azure: none, default, managed-identity, workload-identity or cli",
      ),
      (from) => (from === "none" ? null : from),
    ),
  ),
  googleCredentials: named(
    "LIVEPLANE_GOOGLE_CREDENTIALS",
    mapped(
      oneOf(["none", "adc"], "none", "source of the server's own identity in Google Cloud: none or adc"),
      (from) => (from === "none" ? null : from),
    ),
  ),
  aws: named("LIVEPLANE_AWS", {
    default: [] as readonly AwsPlacement[],
    shown: "",
    help: "where resources go in AWS: JSON list of environment, account, region and, for a role, role, externalId and sessionTags",
    read: readAwsPlaces,
  }),
  hostIdentityFor: named("LIVEPLANE_HOST_IDENTITY_FOR", {
    default: [] as readonly IdentityPlace[],
    shown: "",
    help: "where the server's own identity may act: JSON list of environment, provider and target",
    read: readIdentityPlaces,
  }),
  pipelineIssuers: named("LIVEPLANE_PIPELINE_ISSUERS", {
    default: [] as readonly PipelineIssuerSetting[],
    shown: "",
    help: "CI systems whose pipelines may sign in without a secret: JSON list of issuer and audience",
    read: readPipelineIssuers,
  }),
  azureUrl: named(
    "LIVEPLANE_AZURE_URL",
    text("https://management.azure.com", "URL of Azure Resource Manager", readAddress),
  ),
  azureLoginUrl: named(
    "LIVEPLANE_AZURE_LOGIN_URL",
    text("https://login.microsoftonline.com", "URL of Microsoft Entra", readAddress),
  ),
  googleUrl: named(
    "LIVEPLANE_GOOGLE_URL",
    text("https://{service}.googleapis.com", "URL of Google Cloud's services", readServiceAddress),
  ),
  googleTokenUrl: named(
    "LIVEPLANE_GOOGLE_TOKEN_URL",
    text("https://oauth2.googleapis.com/token", "URL where Google issues tokens for service account keys", readAddress),
  ),
  corsOrigins: named(
    "LIVEPLANE_CORS_ORIGINS",
    list<string>([], "origins that browsers may call from; comma-separated", readList),
  ),
  metricsForMachine: named(
    "LIVEPLANE_METRICS",
    mapped(
      oneOf(
        ["operators", "machine"],
        "operators",
        "who may read /metrics: operators, or machine (also callers on this machine)",
      ),
      (who) => who === "machine",
    ),
  ),
  metricsToken: named(
    "LIVEPLANE_METRICS_TOKEN",
    optional("bearer token for scrapers; it can only read /metrics", readMetricsToken),
  ),
  maxConnections: named("LIVEPLANE_MAX_CONNECTIONS", whole(4096, [1, 1_000_000], "maximum number of open connections")),
  maxConnectionsPerAddress: named(
    "LIVEPLANE_MAX_CONNECTIONS_PER_ADDRESS",
    whole(512, [1, 1_000_000], "maximum from one address; not applied behind trusted proxies"),
  ),
  drainSeconds: named(
    "LIVEPLANE_DRAIN_SECONDS",
    number(3, [0, 300], "seconds during which a stopping server answers new requests with 503 before it closes"),
  ),
  logLevel: named(
    "LIVEPLANE_LOG",
    oneOf(["debug", "info", "warn", "error", "silent"], "info", "log level: debug, info, warn, error or silent"),
  ),
  slowSeconds: named(
    "LIVEPLANE_SLOW_SECONDS",
    number(5, [0.001, 3600], "requests that take longer than this many seconds are logged"),
  ),
  tracing: named(
    "LIVEPLANE_TRACING",
    oneOf(
      ["off", "otlp", "registered"],
      "off",
      "OpenTelemetry: otlp sends spans to OTEL_EXPORTER_OTLP_ENDPOINT; registered uses the process's own provider",
    ),
  ),
  tracedShare: named("LIVEPLANE_TRACED_SHARE", number(1, [0, 1], "share of traces that otlp sends, from 0 to 1")),
  demo: named(
    "LIVEPLANE_DEMO",
    optional("whether a new installation gets a demo; by default only if LIVEPLANE_DATA is unset", readFlag),
  ),
};
