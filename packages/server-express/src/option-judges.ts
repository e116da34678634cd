import { edgeOptions, isPlane, type OptionJudges, optionFaults, refuseFaults } from "@liveplane/core/http";
import { readContact } from "./configuration/settings.ts";

const isFlag = (value: unknown) => typeof value === "boolean";
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;
const isSpan = (value: unknown) => typeof value === "number" && value >= 0;
const isContact = (value: unknown) => "value" in readContact(String(value));
const isSite = (value: unknown) => typeof Reflect.get(Object(value), "answer") === "function";
const isObject = (value: unknown) => typeof value === "object" && value !== null;

const { corsOrigins, ...shared } = edgeOptions;
const router: OptionJudges = { ...shared, trustedProxies: [isCount, "trustedProxies: 1"] };
const server: OptionJudges = {
  ...router,
  corsOrigins,
  liveplane: [isPlane, "liveplane: createLiveplane(ports)"],
  consoles: [Array.isArray, "consoles: simulatedClouds.map(simulatedConsole)"],
  site: [isSite, "site: consoleSite()"],
  metrics: [isObject, "metrics: createMetrics()"],
  metricsForMachine: [isFlag, "metricsForMachine: true"],
  metricsToken: [(value) => typeof value === "string", "metricsToken: process.env.METRICS_TOKEN"],
  securityContact: [isContact, 'securityContact: "mailto:security@example.com"'],
  probesAlone: [isFlag, "probesAlone: true"],
  needsAgent: [isFlag, "needsAgent: false"],
  drainMs: [isSpan, "drainMs: 3000"],
  maxConnections: [isCount, "maxConnections: 4096"],
  maxConnectionsPerAddress: [isCount, "maxConnectionsPerAddress: 512"],
  headersTimeoutMs: [isSpan, "headersTimeoutMs: 10000"],
  requestTimeoutMs: [isSpan, "requestTimeoutMs: 60000"],
};

/** Validates the router's options. */
export function judgeRouter(liveplane: unknown, options: object): void {
  const first = "The first argument must be the result of createLiveplane: liveplaneRouter(createLiveplane(ports)).";
  refuseFaults([...(isPlane(liveplane) ? [] : [first]), ...optionFaults("liveplaneRouter", router, options)]);
}

/** Validates the server's options. */
export function judgeServer(options: object): void {
  const missing = Reflect.get(Object(options), "liveplane") === undefined;
  const first = missing ? ["liveplane is missing, as in liveplane: createLiveplane(ports)."] : [];
  refuseFaults([...first, ...optionFaults("createServer", server, Object(options))]);
}
