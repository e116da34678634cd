import { auditEntry, liveplaneEvent } from "../event-types.ts";
import { operation } from "../row.ts";
import { pageQueryInput } from "../schemas/account-schemas.ts";
import * as s from "../schemas/live-system-schemas.ts";
import * as overrides from "../schemas/override-schemas.ts";

const on = "liveSystem";
const view = { on, need: "View" } as const;
const edit = { on, need: "Edit" } as const;
/** The cloud is asked about types that no table has. */
const asking = ["ProviderCredentialsRejected", "ProviderError", "ProviderTimeout"] as const;
const deployErrors = [
  "InvalidDeclaration",
  "InvalidState",
  "AlreadyExists",
  "ProviderCredentialsMissing",
  ...asking,
] as const;

/** The operations on live systems. */
export const liveSystemOperations = {
  /** Creates a live system and starts to deploy it. */
  create: operation("liveSystems.create", {
    summary: "Creates a live system and starts to deploy it.",
    access: { on: "environment", need: "Edit", rules: ["inBody"] },
    body: s.liveSystemDefinition,
    result: s.mutation,
    success: [202],
    errors: [...deployErrors, "SubscriptionLimitReached", "PreconditionFailed"],
  }),
  /** Lists the live systems that the caller may see. */
  list: operation("liveSystems.list", {
    summary: "Lists the live systems that the caller may see.",
    access: { who: "principal" },
    query: s.liveSystemListQuery,
    result: s.liveSystem,
  }),
  /** Counts the declared components of each live system by health, and names some of those in trouble. */
  health: operation("liveSystems.health", {
    summary: "Counts the declared components of each live system by health, and names some of those in trouble.",
    access: { who: "principal" },
    query: s.liveSystemListQuery,
    result: s.liveSystemHealth,
  }),
  /** Plans a live system that does not exist yet, and stores nothing. */
  plan: operation("liveSystems.plan", {
    summary: "Plans a live system that does not exist yet, and stores nothing.",
    access: { on: "environment", need: "Edit", rules: ["inBody"] },
    effect: "reads",
    body: s.liveSystemDefinition,
    result: s.deployPlan,
    errors: [...deployErrors, "SubscriptionLimitReached"],
  }),
  /** Reads a live system. */
  get: operation("liveSystems.get", {
    summary: "Reads a live system.",
    access: view,
    result: s.liveSystem,
    versioned: true,
  }),
  /** Deploys a live system again, even if its definition is unchanged. */
  deploy: operation("liveSystems.deploy", {
    summary: "Deploys a live system again, even if its definition is unchanged.",
    access: edit,
    body: s.liveSystemDefinition,
    result: s.mutation,
    success: [202],
    versioned: true,
    errors: [...deployErrors, "SubscriptionLimitReached"],
  }),
  /** Plans a deploy with the code that would apply it, and stores nothing. */
  planDeploy: operation("liveSystems.planDeploy", {
    summary: "Plans a deploy with the code that would apply it, and stores nothing.",
    access: view,
    body: s.liveSystemDefinition,
    result: s.deployPlan,
    errors: [...deployErrors, "SubscriptionLimitReached"],
  }),
  /** Starts to delete a live system. */
  delete: operation("liveSystems.delete", {
    summary: "Starts to delete a live system.",
    access: { on, need: "Terminate" },
    result: s.mutation,
    success: [202],
    versioned: true,
    errors: ["InvalidState"],
  }),
  mutations: {
    /** Lists the mutations of a live system, latest first. */
    list: operation("liveSystems.mutations.list", {
      summary: "Lists the mutations of a live system, latest first.",
      access: view,
      query: pageQueryInput,
      result: s.mutation,
    }),
    /** Reads a mutation with its components, their outputs and any drift. */
    get: operation("liveSystems.mutations.get", {
      summary: "Reads a mutation with its components, their outputs and any drift.",
      access: view,
      result: s.mutation,
    }),
  },
  components: {
    /** Lists the components of a live system. */
    list: operation("liveSystems.components.list", {
      summary: "Lists the components of a live system.",
      access: view,
      query: s.componentListQuery,
      result: s.component,
    }),
    /** Reads a component. */
    get: operation("liveSystems.components.get", {
      summary: "Reads a component.",
      access: view,
      result: s.component,
      versioned: true,
    }),
    /** Has the agent check a component now, and reports the result and the agent's own writes. */
    check: operation("liveSystems.components.check", {
      summary: "Has the agent check a component now, and reports the result and the agent's own writes.",
      access: edit,
      result: s.checkResult,
      errors: ["Conflict", "InvalidState"],
    }),
    /** Plans a hand-back: what would be reverted, why, and how to keep it. */
    adoptionPlan: operation("liveSystems.components.adoptionPlan", {
      summary: "Plans a hand-back: what would be reverted, why, and how to keep it.",
      access: view,
      result: overrides.adoptionPlan,
    }),
    /** Lists the overrides of a component, newest first. */
    overrides: operation("liveSystems.components.overrides", {
      summary: "Lists the overrides of a component, newest first.",
      access: view,
      query: pageQueryInput,
      result: overrides.overrideEpisode,
    }),
    /** Notes why a component is overridden and when to send a reminder. */
    annotateOverride: operation("liveSystems.components.annotateOverride", {
      summary: "Notes why a component is overridden and when to send a reminder.",
      access: edit,
      body: overrides.overrideNote,
      result: s.component,
      versioned: true,
      errors: ["InvalidState"],
    }),
    /** Accepts the values that the cloud shows at some places as the declared ones. */
    acceptSettled: operation("liveSystems.components.acceptSettled", {
      summary: "Accepts the values that the cloud shows at some places as the declared ones.",
      access: edit,
      body: s.acceptedPlaces,
      result: s.component,
      versioned: true,
      errors: ["Conflict", "InvalidState"],
    }),
    /** Forgets accepted and learned values, so that the agent corrects these places again. */
    forgetSettled: operation("liveSystems.components.forgetSettled", {
      summary: "Forgets accepted and learned values, so that the agent corrects these places again.",
      access: edit,
      effect: "writes",
      query: s.forgottenPlaces,
      result: s.component,
      versioned: true,
      errors: ["Conflict", "InvalidState", "SubscriptionExpired"],
    }),
    /** Lists the components that use a component's outputs, and which outputs the override changed. */
    dependents: operation("liveSystems.components.dependents", {
      summary: "Lists the components that use a component's outputs, and which outputs the override changed.",
      access: view,
      query: pageQueryInput,
      result: overrides.dependent,
    }),
  },
} as const;

/** The operations on the overrides of all live systems. */
export const overrideOperations = {
  /** Lists all open overrides, oldest first. */
  list: operation("overrides.list", {
    summary: "Lists all open overrides, oldest first.",
    access: { who: "principal" },
    query: overrides.overrideListQuery,
    result: s.listedOverride,
  }),
  /** Groups the open overrides by the parameter that was changed. */
  digest: operation("overrides.digest", {
    summary: "Groups the open overrides by the parameter that was changed.",
    access: { who: "principal" },
    query: pageQueryInput,
    result: overrides.overrideDigestRow,
  }),
} as const;

/** The operations on events. */
export const eventOperations = {
  /** Streams the events that the caller may see. */
  follow: operation("events.follow", {
    summary: "Streams the events that the caller may see.",
    access: { who: "principal" },
    query: s.followQuery,
    result: liveplaneEvent,
    errors: ["EventsExpired"],
  }),
  /** Lists the event log or a period of it, each event with its own hash and the previous one. */
  log: operation("events.log", {
    summary: "Lists the event log or a period of it, each event with its own hash and the previous one.",
    access: { who: "operator" },
    tokenScope: "accounts",
    query: s.auditQuery,
    result: auditEntry,
  }),
} as const;
