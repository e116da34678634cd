import { defaultSettings, type IdentityPlace } from "@liveplane/core";
import type { RateLimits } from "@liveplane/core/http";
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
  readProxies,
  text,
  whole,
} from "./settings.ts";

const mebibyte = 1_048_576;
const daySeconds = 86_400;

/** All that the reference server can be told, by the member of its configuration that says it. */
export const settings = {
  host: named("HOST", text("127.0.0.1", "the address to listen at")),
  port: named("PORT", whole(8080, [0, 65_535], "the port; 0 picks a free one")),
  dataDir: named("LIVEPLANE_DATA", text(".liveplane", "the folder for the database and the keys")),
  databaseUrl: named(
    "DATABASE_URL",
    optional("a Postgres address; without it SQLite in the data folder", readDatabase),
  ),
  operatorPassword: named(
    "LIVEPLANE_OPERATOR_PASSWORD",
    optional("the password of the account `operator`, in place of a generated one"),
  ),
  masterKey: named(
    "LIVEPLANE_MASTER_KEY",
    optional(
      "the key-encryption key, 32 bytes in base64, in place of a file in the data folder; needed with DATABASE_URL",
      readKeys,
    ),
  ),
  scheduler: named(
    "LIVEPLANE_SCHEDULER",
    oneOf(
      ["interval", "pg-boss"],
      "interval",
      "who does the agent's work when: each process all of it, or all processes together by pg-boss, in DATABASE_URL",
    ),
  ),
  checkSeconds: named(
    "LIVEPLANE_CHECK_SECONDS",
    number(defaultSettings.checkSeconds, [0.1, 86_400], "every component is checked within it"),
  ),
  openRegistration: named(
    "LIVEPLANE_OPEN_REGISTRATION",
    flag(defaultSettings.openRegistration, "anyone may register with a user name and a password"),
  ),
  oidcIssuer: named(
    "LIVEPLANE_OIDC_ISSUER",
    optional("the OpenID provider that people may sign in at, by its issuer", readIssuer),
  ),
  oidcClientId: named("LIVEPLANE_OIDC_CLIENT_ID", optional("the client that this server is there")),
  oidcClientSecret: named("LIVEPLANE_OIDC_CLIENT_SECRET", optional("that client's secret; without it a public one")),
  provisioning: named(
    "LIVEPLANE_OIDC_PROVISION",
    oneOf(
      ["off", "verified-email"],
      defaultSettings.provisioning,
      "who comes from there with a verified address gets an account",
    ),
  ),
  rateLimits: named("LIVEPLANE_RATE_LIMITS", {
    default: {} as RateLimits,
    shown: "",
    help: "off, or a JSON map of quotas by bucket",
    read: readLimits,
  }),
  trustedProxies: named("LIVEPLANE_TRUST_PROXY", {
    default: 0,
    shown: "0",
    help: "how many proxies in front tell the caller's address (or true for one)",
    read: readProxies,
  }),
  revealOverHttp: named("LIVEPLANE_REVEAL", flag(defaultSettings.revealOverHttp, "secrets may be revealed over HTTP")),
  requireIfMatch: named(
    "LIVEPLANE_REQUIRE_IF_MATCH",
    flag(defaultSettings.requireIfMatch, "changes and deletions of versioned records need If-Match"),
  ),
  validateAnswers: named(
    "LIVEPLANE_VALIDATE_ANSWERS",
    flag(defaultSettings.validateAnswers, "answers are held to their schemas: for development"),
  ),
  /** `null`: to the log. */
  mail: named(
    "LIVEPLANE_MAIL",
    optional<MailTarget>("an SMTP address, or dir:<folder>; without it mail goes to the log", readMail),
  ),
  mailFrom: named("LIVEPLANE_MAIL_FROM", text("liveplane@localhost", "the sender of mails")),
  webhooks: named("LIVEPLANE_WEBHOOKS", flag(true, "webhooks can be made, and are sent to public addresses by https")),
  webhookOrigins: named(
    "LIVEPLANE_WEBHOOK_ORIGINS",
    list<string>([], "origins that webhooks may go to wherever they lead, with commas", readOrigins),
  ),
  consoleUrl: named("LIVEPLANE_CONSOLE_URL", text("", "where people find the console, for links to it", readPage)),
  overdueHours: named(
    "LIVEPLANE_OVERDUE_HOURS",
    list(defaultSettings.overdueHours, "ages of an override at which a reminder goes out", readHours),
  ),
  restoredTag: named(
    "LIVEPLANE_RESTORED_TAG",
    oneOf(
      ["resume-when-clean", "resume", "wait"],
      defaultSettings.restoredTag,
      "what a management tag that comes back alone means",
    ),
  ),
  keptMutations: named(
    "LIVEPLANE_KEPT_MUTATIONS",
    whole(defaultSettings.keptMutations, [1, 1_000_000], "mutations of a live system that are kept"),
  ),
  keptDefinitionBytes: named(
    "LIVEPLANE_KEPT_DEFINITIONS",
    inUnitsOf(mebibyte, defaultSettings.keptDefinitionBytes, (mebibytes) =>
      whole(mebibytes, [1, 65_536], "MiB of definitions of a live system that are kept"),
    ),
  ),
  keptEpisodes: named(
    "LIVEPLANE_KEPT_OVERRIDES",
    whole(defaultSettings.keptEpisodes, [1, 1_000_000], "overrides of a component that its ledger keeps"),
  ),
  episodeSeconds: named(
    "LIVEPLANE_KEPT_OVERRIDE_DAYS",
    inUnitsOf(daySeconds, defaultSettings.episodeSeconds, (days) =>
      whole(days, [1, 36_500], "days after its end that the ledger keeps an override"),
    ),
  ),
  simulatedClouds: named(
    "LIVEPLANE_SIMULATED_CLOUDS",
    flag(true, "both clouds are simulated; off: they are Azure and Google Cloud"),
  ),
  azureClientId: named(
    "LIVEPLANE_AZURE_CLIENT_ID",
    optional("the public client that people sign in to Azure with by device; without it they can't", readClientId),
  ),
  azureCredentials: named(
    "LIVEPLANE_AZURE_CREDENTIALS",
    mapped(
      oneOf(
        ["none", "default", "managed-identity", "workload-identity", "cli"],
        "none",
        "the server's own identity in Azure, by @azure/identity",
      ),
      (from) => (from === "none" ? null : from),
    ),
  ),
  googleCredentials: named(
    "LIVEPLANE_GOOGLE_CREDENTIALS",
    mapped(
      oneOf(["none", "adc"], "none", "the server's own identity in Google Cloud, by google-auth-library"),
      (from) => (from === "none" ? null : from),
    ),
  ),
  hostIdentityFor: named("LIVEPLANE_HOST_IDENTITY_FOR", {
    default: [] as readonly IdentityPlace[],
    shown: "",
    help: "where the server's own identity serves: a JSON list of environment, provider and target",
    read: readIdentityPlaces,
  }),
  pipelineIssuers: named("LIVEPLANE_PIPELINE_ISSUERS", {
    default: [] as readonly PipelineIssuerSetting[],
    shown: "",
    help: "CIs whose pipelines may sign in without a secret: a JSON list of issuer and audience",
    read: readPipelineIssuers,
  }),
  azureUrl: named("LIVEPLANE_AZURE_URL", text("https://management.azure.com", "Azure Resource Manager", readAddress)),
  azureLoginUrl: named(
    "LIVEPLANE_AZURE_LOGIN_URL",
    text("https://login.microsoftonline.com", "Microsoft Entra", readAddress),
  ),
  googleUrl: named(
    "LIVEPLANE_GOOGLE_URL",
    text("https://{service}.googleapis.com", "Google Cloud, by service", readServiceAddress),
  ),
  googleTokenUrl: named(
    "LIVEPLANE_GOOGLE_TOKEN_URL",
    text("https://oauth2.googleapis.com/token", "where Google gives tokens for keys of service accounts", readAddress),
  ),
  corsOrigins: named(
    "LIVEPLANE_CORS_ORIGINS",
    list<string>([], "origins that browsers may call from, with commas", readList),
  ),
  metricsForMachine: named(
    "LIVEPLANE_METRICS",
    mapped(
      oneOf(["operators", "machine"], "operators", "who reads /metrics: operators, or this machine too"),
      (who) => who === "machine",
    ),
  ),
  metricsToken: named(
    "LIVEPLANE_METRICS_TOKEN",
    optional("a bearer token that reads /metrics and nothing else: for scrapers", readMetricsToken),
  ),
  maxConnections: named("LIVEPLANE_MAX_CONNECTIONS", whole(4096, [1, 1_000_000], "connections that are kept at once")),
  maxConnectionsPerAddress: named(
    "LIVEPLANE_MAX_CONNECTIONS_PER_ADDRESS",
    whole(512, [1, 1_000_000], "the same, from one address; not behind trusted proxies"),
  ),
  drainSeconds: named(
    "LIVEPLANE_DRAIN_SECONDS",
    number(3, [0, 300], "how long a stopping server refuses requests by an answer before it closes"),
  ),
  logLevel: named("LIVEPLANE_LOG", oneOf(["debug", "info", "warn", "error", "silent"], "info", "how much to log")),
  slowSeconds: named("LIVEPLANE_SLOW_SECONDS", number(5, [0.001, 3600], "a request that takes longer is logged")),
  tracing: named(
    "LIVEPLANE_TRACING",
    oneOf(
      ["off", "otlp", "registered"],
      "off",
      "OpenTelemetry: spans are sent as OTEL_EXPORTER_OTLP_ENDPOINT says, or made by what the process has registered",
    ),
  ),
  tracedShare: named("LIVEPLANE_TRACED_SHARE", number(1, [0, 1], "what part of the traces is sent by otlp")),
  demo: named(
    "LIVEPLANE_DEMO",
    optional("a demo live system; by default in a new data folder that nobody named", readFlag),
  ),
};
