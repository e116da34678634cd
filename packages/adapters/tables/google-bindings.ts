import type { GoogleKind } from "../src/google/google-kinds.ts";
import type { Found } from "./google-kind-facts.ts";
import type { GoogleService } from "./google-kinds.ts";

const version = "RequestedPolicyVersion";

/** The bindings of a kind's IAM policies, as a kind: one resource for each role; `null` if it has no policies. */
export function bindingKind({ version: serviceVersion }: GoogleService, found: readonly Found[]): GoogleKind | null {
  const all = [...Map.groupBy(found, ({ method }) => method.collection).values()].flatMap(policyIn);
  const [first] = all;
  if (first === undefined) return null;
  const paths = all.map(({ path }) => `${path}/iamBindings/{}`).sort();
  return {
    version: serviceVersion,
    paths,
    collection: "iamBindings",
    create: { method: first.policy.write.method, name: "path", body: null, query: [] },
    change: { method: first.policy.write.method, mask: "none", body: null, at: paths },
    setters: {},
    labels: "none",
    labelsAt: [],
    policy: first.policy,
    etag: "etag",
    labelFingerprint: false,
    boundDeletion: ["etag"],
    list: { items: "bindings", size: null },
    operations: false,
    required: ["/members"],
    immutable: [],
    readOnly: ["/role"],
    hidden: [],
    inputOnly: [],
    creationOnly: [],
    wholeNumbers: [],
    defaults: {},
    maps: [],
  };
}

interface Policy {
  /** Of the resource that has it. */
  readonly path: string;
  readonly policy: NonNullable<GoogleKind["policy"]>;
}

/** How the policies in a collection are read and written; nothing if they aren't. */
function policyIn(found: readonly Found[]): Policy[] {
  const by = (name: string) => found.find(({ method }) => method.name === name);
  const [get, getPolicy, setPolicy] = [by("get"), by("getIamPolicy"), by("setIamPolicy")];
  const path = get?.described.path ?? "";
  if (getPolicy === undefined || setPolicy === undefined || path === "") return [];
  const callOf = ({ described }: Found) => (described.path.startsWith(path) ? described.path.slice(path.length) : null);
  const [read, write] = [callOf(getPolicy), callOf(setPolicy)];
  // The description of some names no path that a resource is at.
  if (read === null || write === null) return [];
  const inQuery = getPolicy.described.query.find((name) => name.toLowerCase().endsWith(version.toLowerCase())) ?? null;
  const isWhole = setPolicy.described.body === setPolicy.described.answers["200"];
  const policy = {
    read: { method: getPolicy.method.verb, call: read, version: inQuery },
    write: { method: setPolicy.method.verb, call: write, member: isWhole ? null : "policy" },
  };
  return [{ path, policy }];
}
