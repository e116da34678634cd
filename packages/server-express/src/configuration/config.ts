import { readFileSync } from "node:fs";
import { didYouMean } from "@liveplane/core";
import { LiveplaneError, type Violation } from "@liveplane/core/errors";
import type { CloudAddresses } from "./cloud-addresses.ts";
import { settings } from "./server-settings.ts";
import { codeOf } from "./settings.ts";
import type { StoreAddress } from "./store-address.ts";

type Table = typeof settings;
type Values = { readonly [Member in keyof Table]: Table[Member]["default"] };

/** The configuration of the reference server. */
export interface ServerConfig extends Omit<Values, "demo" | "databaseUrl" | "store"> {
  readonly store: StoreAddress;
  /** Used if the clouds aren't simulated. */
  readonly clouds: CloudAddresses;
  readonly demo: boolean;
  /** Whether the port was configured. If not, the next free port is used. */
  readonly isPortNamed: boolean;
  /** Whether webhooks may be sent to programs on this machine: in the demo, if only this machine reaches the server. */
  readonly webhooksToLoopback: boolean;
}

/** The settings by variable name. */
const byName = Object.fromEntries(Object.values(settings).map((setting) => [setting.name, setting]));

/** The sources of settings: a JSON file, overridden by the environment. */
export interface ConfigSource {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A JSON file with the same names. */
  readonly file?: string;
}

/** Reads and checks every setting; throws `ConfigurationInvalid` naming all mistakes at once, without values. */
export function readConfig({ environment, file }: ConfigSource): ServerConfig {
  const errors: Violation[] = [];
  const given = { ...(file === undefined ? {} : readFile(file, errors)), ...present(environment) };
  const values = Object.fromEntries(
    Object.entries(settings).map(([member, setting]) => {
      const sent = given[setting.name];
      if (sent === undefined) return [member, setting.default];
      const read = setting.read(sent);
      if ("reason" in read) errors.push(mistake(setting.name, read.reason));
      return [member, "value" in read ? read.value : setting.default];
    }),
  ) as Values;
  if (values.demo === true && !values.simulatedClouds) errors.push(mistake("LIVEPLANE_DEMO", "needs simulated clouds"));
  if (values.aws.length > 0 && values.simulatedClouds)
    errors.push(mistake("LIVEPLANE_AWS", "needs LIVEPLANE_SIMULATED_CLOUDS=false"));
  const store = storeOf(values, errors);
  if (store.kind === "postgres" && values.masterKey === null)
    errors.push(mistake("LIVEPLANE_MASTER_KEY", "is required with Postgres, with the same value in every process"));
  if (store.kind !== "postgres" && values.scheduler === "pg-boss")
    errors.push(mistake("LIVEPLANE_SCHEDULER", "is pg-boss, which needs Postgres: set DATABASE_URL"));
  if (values.oidcIssuer !== null && values.oidcClientId === null)
    errors.push(mistake("LIVEPLANE_OIDC_CLIENT_ID", "is required with LIVEPLANE_OIDC_ISSUER"));
  for (const member of ["oidcClientId", "oidcClientSecret"] as const)
    if (values[member] !== null && values.oidcIssuer === null)
      errors.push(mistake(settings[member].name, "needs LIVEPLANE_OIDC_ISSUER, which isn't set"));
  if (errors.length > 0) {
    const list = errors.map(({ detail }) => `  ${detail}`).join("\n");
    throw new LiveplaneError("ConfigurationInvalid", `The configuration is not valid:\n${list}`, {
      details: { errors },
    });
  }
  const isForDemo = given.LIVEPLANE_DATA === undefined && store.at === null && values.simulatedClouds;
  const demo = values.demo ?? isForDemo;
  const checkSeconds = demo && given.LIVEPLANE_CHECK_SECONDS === undefined ? demoCheckSeconds : values.checkSeconds;
  const webhooksToLoopback = demo && /^(?:127\..+|::1|localhost)$/.test(values.host);
  const isPortNamed = given.PORT !== undefined;
  return configOf({ ...values, store, demo, checkSeconds, isPortNamed, webhooksToLoopback });
}

/** A newcomer who changes a tag shouldn't wait for minutes. Nothing real is called. */
const demoCheckSeconds = 5;

/** What `--help` says of the settings. */
export function settingsHelp(): string {
  return Object.values(settings)
    .map(({ name, help, shown }) => `  ${`${name} `.padEnd(30)}${help}${shown === "" ? "" : ` (${shown})`}`)
    .join("\n");
}

/** `DATABASE_URL` is what hosts of Postgres usually set. */
function storeOf({ store, databaseUrl }: Values, errors: Violation[]): StoreAddress {
  if (store !== null && databaseUrl !== null && store.at !== databaseUrl)
    errors.push(mistake("LIVEPLANE_STORE", "names another store than DATABASE_URL: set only one of them"));
  return store ?? (databaseUrl === null ? { kind: "sqlite", at: null } : { kind: "postgres", at: databaseUrl });
}

function configOf({ databaseUrl: _, ...values }: Omit<ServerConfig, "clouds"> & Omit<Values, "store">): ServerConfig {
  const { azureUrl, azureLoginUrl, azureClientId, azureCredentials } = values;
  const { googleUrl, googleTokenUrl, googleCredentials } = values;
  const clouds = {
    azure: { managementUrl: azureUrl, loginUrl: azureLoginUrl, clientId: azureClientId, identity: azureCredentials },
    google: { serviceUrl: googleUrl, tokenUrl: googleTokenUrl, identity: googleCredentials },
  };
  return { ...values, clouds };
}

/** An empty variable counts as unset. */
function present(environment: ConfigSource["environment"]): ConfigSource["environment"] {
  return Object.fromEntries(Object.entries(environment).filter(([, of]) => of !== undefined && of !== ""));
}

/** Warnings about unknown variables that look like settings. Other programs may use them, so they aren't errors. */
export function unknownSettings(environment: ConfigSource["environment"]): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith("LIVEPLANE_") && !Object.hasOwn(byName, name))
    .map((name) => `${name} isn't a setting of this server${meantBy(name)}`);
}

/** What was probably meant. The common beginning makes no two names similar. */
function meantBy(name: string): string {
  const bare = name.replace(prefix, "");
  const known = Object.keys(byName).filter((one) => prefix.test(one) === prefix.test(name));
  const said = Object.hasOwn(byName, bare)
    ? `; did you mean ${bare}?`
    : didYouMean(
        bare,
        known.map((one) => one.replace(prefix, "")),
      );
  const isPrefixed = prefix.test(name) && !Object.hasOwn(byName, bare);
  return said.replace("mean ", isPrefixed ? "mean LIVEPLANE_" : "mean ") || "; see --help.";
}

const prefix = /^LIVEPLANE_/;

function notKnown(name: string): Violation {
  const detail = `${name} isn't a setting${meantBy(name)}`;
  return { parameter: name, code: "Unknown", detail };
}

function mistake(name: string, why: string): Violation {
  return { parameter: name, code: "Format", detail: `${name} ${why}.` };
}

function readFile(file: string, errors: Violation[]): Record<string, string> {
  try {
    const parsed = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    for (const name of Object.keys(parsed)) {
      if (!Object.hasOwn(byName, name)) errors.push(notKnown(name.slice(0, 64)));
    }
    const given = Object.entries(parsed).filter(([, of]) => of !== null && of !== "");
    return Object.fromEntries(given.map(([name, of]) => [name, asText(of)]));
  } catch (cause) {
    const isRead = codeOf(cause) === "";
    const why = isRead ? "must contain a JSON object of settings" : `can't be read${codeOf(cause)}`;
    errors.push({ parameter: "--config", code: "Format", detail: `--config: ${file} ${why}.` });
    return {};
  }
}

/** A JSON value as the text of a variable. */
function asText(of: unknown): string {
  if (Array.isArray(of)) return of.join(",");
  return typeof of === "string" ? of : JSON.stringify(of);
}
