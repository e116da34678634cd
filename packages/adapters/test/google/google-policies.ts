import { createHash } from "node:crypto";
import { type Body, type GoogleAnswer, type KnownRequest, ok, problem, stale } from "./google-answers.ts";
import type { KeptResource } from "./google-bodies.ts";

/** What keeps the bindings: each beneath the resource that has the policy. */
export interface BindingStore {
  readonly all: ReadonlyMap<string, KeptResource>;
  readonly put: (path: string, project: string, body: Body) => void;
  readonly remove: (path: string) => void;
}

interface Binding {
  readonly role: string;
  readonly members: readonly string[];
  readonly condition?: { readonly title?: string };
}

/** Answers reads and writes of IAM policies, as the reference of `Policy` has it. */
export function answerPolicy(
  { operation, path, project, query, body }: KnownRequest,
  store: BindingStore,
): GoogleAnswer {
  const [service = ""] = operation.id.split(".");
  const holder = policyHolderIn({ operation, path }) ?? path;
  const known = bindingsAt(holder, store);
  const etag = etagOf(known);
  if (operation.id.endsWith(".getIamPolicy")) return ok(shown(known, etag, wantedVersion(query, body)));
  const policy = ("policy" in body ? body.policy : body) as Body;
  const sent = ((policy.bindings ?? []) as Binding[]).filter(({ members }) => (members ?? []).length > 0);
  if (sent.some(({ condition }) => condition !== undefined) && policy.version !== 3)
    return problem(400, { status: "INVALID_ARGUMENT", message: "Conditions need a policy of version 3." });
  // Without an etag, whatever is there is overwritten.
  if (policy.etag !== undefined && policy.etag !== etag) return stale(service);
  const wanted = new Map(sent.map((one) => [`${holder}/iamBindings/${nameOf(one)}`, one]));
  for (const at of known.keys()) if (!wanted.has(at)) store.remove(at);
  for (const [at, one] of wanted)
    if (JSON.stringify(known.get(at)) !== JSON.stringify(one)) store.put(at, project, withoutRole(one));
  const now = bindingsAt(holder, store);
  return ok(shown(now, etagOf(now), 3));
}

/** The path of the resource whose policy a request is about; `null`: it is about no policy. */
export function policyHolderIn({ operation, path }: Pick<KnownRequest, "operation" | "path">): string | null {
  return operation.id.endsWith("IamPolicy") ? path.replace(/([/:][gs]etIamPolicy|\/iam)$/, "") : null;
}

function wantedVersion(query: URLSearchParams, { options }: Body): number {
  const given = query.get("options.requestedPolicyVersion") ?? query.get("optionsRequestedPolicyVersion");
  return Number(given ?? (options as Body | undefined)?.requestedPolicyVersion ?? 1);
}

/** Who asks for an old version is shown no conditions, and roles that say so. */
function shown(bindings: ReadonlyMap<string, Binding>, etag: string, version: number): Body {
  const all = [...bindings.values()];
  const isOld = version < 3;
  const own = all.map(({ condition, ...one }) => {
    if (condition === undefined) return one;
    return isOld ? { ...one, role: `${one.role}_withcond_${hash(condition)}` } : { ...one, condition };
  });
  const isConditional = !isOld && all.some(({ condition }) => condition !== undefined);
  return { version: isConditional ? 3 : 1, etag, ...(own.length > 0 && { bindings: own }) };
}

/** The bindings on a resource, by their paths. */
export function bindingsAt(holder: string, { all }: Pick<BindingStore, "all">): ReadonlyMap<string, Binding> {
  const start = `${holder}/iamBindings/`;
  const own = [...all].filter(([path]) => path.startsWith(start));
  return new Map(
    own.map(([path, { body }]) => {
      const role = path.slice(start.length).replace(/@.*$/, "").replaceAll(":", "/");
      return [path, { role, ...body } as Binding];
    }),
  );
}

function withoutRole({ role: _, ...own }: Binding): Body {
  return own;
}

function nameOf({ role, condition }: Binding): string {
  return `${role.replaceAll("/", ":")}${condition === undefined ? "" : `@${condition.title}`}`;
}

function etagOf(bindings: ReadonlyMap<string, Binding>): string {
  return hash([...bindings].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function hash(of: unknown): string {
  return createHash("sha256").update(JSON.stringify(of)).digest("base64").slice(0, 16);
}
