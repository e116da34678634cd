/**
 * One component and its resource, after sections 3, 4, 8 and 9 of the specification. It shares no code with what it is compared with, and
 * knows nothing of how liveplane works: what isn't in the specification isn't here.
 */

/** What is declared, or what a resource has. */
export interface Values {
  readonly size: number;
  readonly tier: string;
}

/** A resource, as a person sees it in the cloud. */
export interface ModelResource extends Values {
  /** Which of the resources that ever had this name. */
  readonly identity: number;
  readonly managed: boolean;
  readonly asked: boolean;
  /** The text of the tag `platform-reason`. */
  readonly why: string | null;
}

/** An entry of the ledger. */
export interface ModelEpisode {
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly start: { readonly declared: Values; readonly actual: Values };
  /** `null`: it is open, or nothing was there at its end. */
  readonly end: Values | null;
}

type Awaiting = "management-tag" | "reconcile-tag" | "redeploy";

/** What is stored about a component. */
export interface ModelRecord {
  readonly status: "Active" | "ManualOverride" | "ReconcileRequested";
  readonly identity: number | null;
  readonly lost: boolean;
  readonly reconciled: boolean;
  readonly awaiting: Awaiting | null;
  /** What its tag said at the take-over. */
  readonly said: string | null;
  /** What the last read showed; `null`: it was missing. */
  readonly seen: ModelResource | null;
}

/** A component of a live system; `record` is `null` while it isn't declared. */
export interface ModelComponent {
  readonly declared: Values;
  readonly record: ModelRecord | null;
  readonly resource: ModelResource | null;
  /** The newest comes last. */
  readonly ledger: readonly ModelEpisode[];
  /** How many resources have had its name. */
  readonly made: number;
  /** How many writes the agent has sent, and how many of them were corrections since the status changed. */
  readonly writes: number;
  readonly corrections: number;
}

/** A component that nobody has declared yet. */
export const undeclared: ModelComponent = {
  declared: { size: 0, tier: "" },
  record: null,
  resource: null,
  ledger: [],
  made: 0,
  writes: 0,
  corrections: 0,
};

const fresh: ModelRecord = {
  status: "Active",
  identity: null,
  lost: false,
  reconciled: false,
  awaiting: null,
  said: null,
  seen: null,
};

/** A deploy puts a declaration in force and carries it out. */
export function deployed(component: ModelComponent, declared: Values): ModelComponent {
  return checked({ ...component, declared, record: component.record ?? fresh }, { deploy: true });
}

/** A deploy without the component, or the deletion of its live system: the tag decides. */
export function left(component: ModelComponent): ModelComponent {
  const { record, resource } = component;
  if (record === null) return component;
  // It is observed once more, without effects and as if the reconcile tag were off.
  const isReleased = resource !== null && !resource.managed;
  const isOpen = record.status !== "Active";
  const end = isReleased ? resource : null;
  const closed = isOpen ? ended(component, isReleased ? "Released" : "Deleted", end) : component;
  return { ...closed, record: null, resource: isReleased ? resource : null, writes: 0, corrections: 0 };
}

/** Direct reads with what follows from them, until nothing follows any more. */
export function checked(component: ModelComponent, { deploy = false } = {}): ModelComponent {
  let now = component;
  for (let rounds = 0; rounds < 20; rounds++) {
    const next = looked(now, deploy);
    // A read without an effect ends a pass. Only a stored request is checked again at once.
    if (next.writes === now.writes && next.record?.status !== "ReconcileRequested") return next;
    now = next;
  }
  throw new RangeError("The model doesn't come to rest.");
}

/** Whether a resource isn't as declared. */
export function differs(actual: Values, { size, tier }: Values): boolean {
  return actual.size !== size || actual.tier !== tier;
}

interface Facts {
  readonly drift: boolean;
  readonly another: boolean;
  readonly deploy: boolean;
}

/** One direct read with its row of section 4, and the effect. */
function looked(component: ModelComponent, deploy: boolean): ModelComponent {
  const { record, resource, declared } = component;
  if (record === null) return component;
  const drift = resource !== null && differs(resource, declared);
  const isOther = resource !== null && record.status !== "Active" && resource.identity !== record.identity;
  const facts = { drift, another: isOther, deploy };
  const seen = { ...component, record: { ...record, seen: resource } };
  if (record.status === "Active") return lookedActive(seen, seen.record, facts);
  if (resource === null) return lookedMissing(seen, deploy);
  return record.status === "ManualOverride"
    ? lookedManual(seen, resource, facts)
    : lookedRequested(seen, resource, facts);
}

function lookedActive(component: ModelComponent, record: ModelRecord, { drift }: Facts): ModelComponent {
  const { resource, declared } = component;
  if (resource === null) return created(component); // 104
  const known = { ...component, record: { ...record, identity: resource.identity } };
  if (!resource.managed) {
    // 105
    const start = { declared, actual: valuesOf(resource) };
    const begun: ModelEpisode = { outcome: null, reason: null, start, end: null };
    const held = stored(known, { status: "ManualOverride", awaiting: "management-tag", said: resource.why });
    return { ...held, corrections: 0, ledger: [...component.ledger, begun] };
  }
  if (drift) return corrected(known); // 108
  return resource.asked ? untagged(known) : known; // 109, 110
}

/** 202, 203, 302, 303. */
function lookedMissing(component: ModelComponent, deploy: boolean): ModelComponent {
  if (deploy) return created(activated(component, "Reprovisioned", null));
  return stored(component, { status: "ManualOverride", lost: true, reconciled: false, awaiting: "redeploy" });
}

function lookedManual(component: ModelComponent, resource: ModelResource, facts: Facts): ModelComponent {
  const { managed, asked } = resource;
  if (facts.another) return lookedAtAnother(component, resource, facts);
  const there = stored(component, { lost: false });
  if (!managed) return stored(there, { awaiting: "management-tag" }); // 209
  if (asked) return stored(there, { status: "ReconcileRequested", awaiting: null }); // 210
  if (!facts.drift) return activated(there, "Resumed", resource); // 211
  return stored(there, { awaiting: "reconcile-tag" }); // 213
}

/** 205 to 208. */
function lookedAtAnother(component: ModelComponent, resource: ModelResource, facts: Facts): ModelComponent {
  if (resource.managed && facts.deploy) {
    const own = stored(component, { identity: resource.identity });
    const active = activated(own, "Reprovisioned", resource);
    return facts.drift ? corrected(active) : active;
  }
  return stored(component, { lost: true, awaiting: resource.managed ? "redeploy" : "management-tag" });
}

function lookedRequested(component: ModelComponent, resource: ModelResource, { drift, another }: Facts) {
  const { managed, asked } = resource;
  const isVerified = component.record?.reconciled === true && !drift;
  const back = { status: "ManualOverride", reconciled: false } as const;
  if (another) return stored(component, { ...back, lost: true, awaiting: managed ? "redeploy" : "management-tag" }); // 305, 306
  if (!managed) return stored(component, { ...back, awaiting: "management-tag" }); // 307
  if (isVerified) return asked ? untagged(component) : activated(component, "Reconciled", resource); // 308, 309
  if (asked && drift) return corrected(stored(component, { reconciled: false })); // 310
  if (asked) return untagged(stored(component, { reconciled: true })); // 311
  if (!drift) return activated(component, "Resumed", resource); // 314
  return stored(component, { ...back, awaiting: "reconcile-tag" }); // 315
}

function stored(component: ModelComponent, change: Partial<ModelRecord>): ModelComponent {
  return component.record === null ? component : { ...component, record: { ...component.record, ...change } };
}

function activated(component: ModelComponent, outcome: string, end: Values | null): ModelComponent {
  const active = { status: "Active", lost: false, reconciled: false, awaiting: null, said: null } as const;
  return { ...ended(stored(component, active), outcome, end), corrections: 0 };
}

function ended(component: ModelComponent, outcome: string, end: Values | null): ModelComponent {
  const ledger = component.ledger.map((one) =>
    one.outcome === null ? { ...one, outcome, end: end && valuesOf(end) } : one,
  );
  return { ...component, ledger };
}

function created(component: ModelComponent): ModelComponent {
  const identity = component.made + 1;
  const resource = { ...component.declared, identity, managed: true, asked: false, why: null };
  return { ...component, resource, made: identity, writes: component.writes + 1 };
}

function corrected(component: ModelComponent): ModelComponent {
  const { resource, declared } = component;
  if (resource === null) return component;
  const { size, tier } = declared;
  const counted = { writes: component.writes + 1, corrections: component.corrections + 1 };
  return { ...component, ...counted, resource: { ...resource, size, tier } };
}

function untagged(component: ModelComponent): ModelComponent {
  const { resource, writes } = component;
  return resource === null ? component : { ...component, writes: writes + 1, resource: { ...resource, asked: false } };
}

function valuesOf({ size, tier }: Values): Values {
  return { size, tier };
}
