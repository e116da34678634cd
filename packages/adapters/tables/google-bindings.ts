import type { GoogleKind } from "../src/google/google-kinds.ts";
import type { Found } from "./google-kind-facts.ts";
import type { GoogleService } from "./google-kinds.ts";

const version = "RequestedPolicyVersion";

/** The bindings of the IAM policies in a collection, as a kind: one resource for each role; `null` if they have no policies. */
export function bindingKind({ version: serviceVersion }: GoogleService, found: readonly Found[]): GoogleKind | null {
  const by = (name: string) => found.find(({ method }) => method.name === name);
  const [get, getPolicy, setPolicy] = [by("get"), by("getIamPolicy"), by("setIamPolicy")];
  const path = get?.described.path ?? "";
  if (getPolicy === undefined || setPolicy === undefined || path === "") return null;
  const callOf = ({ described }: Found) => (described.path.startsWith(path) ? described.path.slice(path.length) : null);
  const [read, write] = [callOf(getPolicy), callOf(setPolicy)];
  // The description of some names no path that a resource is at.
  if (read === null || write === null) return null;
  const inQuery = getPolicy.described.query.find((name) => name.toLowerCase().endsWith(version.toLowerCase())) ?? null;
  const isWhole = setPolicy.described.body === setPolicy.described.answers["200"];
  return {
    version: serviceVersion,
    paths: [`${path}/iamBindings/{}`],
    collection: "iamBindings",
    create: { method: setPolicy.method.verb, name: "path", body: null, query: [] },
    change: { method: setPolicy.method.verb, mask: "none", body: null, at: [`${path}/iamBindings/{}`] },
    setters: {},
    labels: "none",
    labelsAt: [],
    policy: {
      read: { method: getPolicy.method.verb, call: read, version: inQuery },
      write: { method: setPolicy.method.verb, call: write, member: isWhole ? null : "policy" },
    },
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
