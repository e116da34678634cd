import { didYouMean } from "./did-you-mean.ts";
import { LiveplaneError, type Violation } from "./errors.ts";
import { defaultSettings, type LiveplaneOptions, mustOfSetting, type Settings } from "./settings.ts";

/** The ports that only the host can provide, and what provides each on Node. */
const ports = {
  store: 'await sqliteStore({ file: "liveplane.db" })',
  hasher: "await argon2Hasher()",
  tokens: "await joseTokens()",
  mailer: "logMailer()",
  sealer: "aesSealer({ keyRing })",
  sshKeys: "nodeSshKeys()",
  clouds: "{ adapters: [] }",
  scheduler: "intervalScheduler()",
};

/** Further options of a host. */
const besides = {
  runtime: "{ logger }",
  externalVerifier: "await externalIssuer({ issuer, audience, jwksUrl, accountFor })",
  pipelineIssuers: "[await pipelineIssuer({ issuer, audience })]",
  webhookSender: "webhookSender()",
  signInIssuer: "await oidcSignIn({ issuer, clientId })",
  passkeyVerifier: "await passkeyVerifier()",
  sealedStocks: "[]",
  settings: "{ openRegistration: true }",
};

const examples: Readonly<Record<string, string>> = { ...ports, ...besides };
const onNode = "createLiveplane(await nodeDefaults({ dataDir }))";

/**
 * The settings in effect, if all required ports are there.
 *
 * @throws {ConfigurationInvalid} naming each missing port, and each unknown or invalid option and setting.
 */
export function takeSettings(options: LiveplaneOptions): Settings {
  if (isPromise(options)) throw refusal([fault("options", "Type", `is a promise: await it, as in ${onNode}`)]);
  const brought: Readonly<Record<string, unknown>> = { ...options };
  const said = Object.entries(options?.settings ?? {}).filter(([, value]) => value !== undefined);
  const names = new Set([...Object.keys(ports), ...Object.keys(brought)]);
  const wrong = [
    ...[...names].flatMap((name) => optionFaults(name, brought[name])),
    ...said.flatMap(([name, value]) => settingFaults(name, value)),
  ];
  if (wrong.length > 0) throw refusal(wrong);
  requireFit(options);
  return { ...defaultSettings, ...Object.fromEntries(said) };
}

/** Processes that share work find it in their store. If one process owns the store alone, the others could do nothing. */
function requireFit({ store, scheduler }: LiveplaneOptions): void {
  if (scheduler.leaseMs === undefined || store.capabilities.sharedByProcesses) return;
  throw new LiveplaneError(
    "ConfigurationInvalid",
    "The scheduler is for several processes, but the store is for one. Use a shared store, such as postgresStore(), or intervalScheduler().",
  );
}

function refusal(wrong: readonly Violation[]): LiveplaneError {
  const hasNone = wrong.filter(({ code }) => code === "Required").length === Object.keys(ports).length;
  const hint = hasNone ? [`On Node, ${onNode} provides all of them.`] : [];
  return new LiveplaneError("ConfigurationInvalid", [...wrong.map(({ detail }) => detail), ...hint].join(" "), {
    details: { errors: wrong },
  });
}

function fault(name: string, code: Violation["code"], why: string): Violation {
  return { parameter: name, code, detail: `${name} ${why}${why.endsWith("?") ? "" : "."}` };
}

/** The errors in one option of the host. A name that resembles no option may be the host's own. */
function optionFaults(name: string, value: unknown): Violation[] {
  const example = Object.hasOwn(examples, name) ? examples[name] : undefined;
  if (example === undefined) {
    const meant = didYouMean(name, Object.keys(examples));
    return meant === "" || value === undefined ? [] : [fault(name, "Unknown", `isn't an option${meant}`)];
  }
  if (isPromise(value)) return [fault(name, "Type", `is a promise: await it, as in ${name}: ${example}`)];
  if (value === undefined || value === null)
    return Object.hasOwn(ports, name) ? [fault(name, "Required", `is missing, such as ${name}: ${example}`)] : [];
  return typeof value === "object" && Array.isArray(value) === example.startsWith("[")
    ? []
    : [fault(name, "Type", `must be something like ${name}: ${example}`)];
}

function settingFaults(name: string, value: unknown): Violation[] {
  const path = `settings.${name}`;
  if (!Object.hasOwn(defaultSettings, name)) {
    const meant = didYouMean(name, Object.keys(defaultSettings));
    return [fault(path, "Unknown", `isn't a setting${meant}`)];
  }
  const must = mustOfSetting(name, value);
  return must === null ? [] : [fault(path, "Type", `must ${must}`)];
}

function isPromise(value: unknown): boolean {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "then") === "function";
}
