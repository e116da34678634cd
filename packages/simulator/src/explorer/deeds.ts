import type { CloudCallKind, CloudFault, Deed, Variant } from "../plan.ts";

/** A deed with a readable name, which means the same in every exploration. */
export interface NamedDeed {
  readonly name: string;
  readonly deed: Deed;
}

/**
 * What is declared beside the network: an app that refers to it, the same in a cloud with its own forms, or a rule without tags that is
 * overridden with it.
 */
export type Beside = "nothing" | "an app" | "an app in words" | "a rule";

const pathsBeside: Readonly<Record<Beside, readonly string[]>> = {
  nothing: [],
  "an app": ["a/app"],
  "an app in words": ["a/app"],
  "a rule": ["a/rule"],
};

export function firstDeclared(beside: Beside): Variant {
  return { declared: pathsBeside[beside], size: 1, level: 1, retained: false };
}

/** Everything that people do and everything that fails. */
export function namedDeeds(beside: Beside): NamedDeed[] {
  return [...peoplesDeeds(beside), ...mishaps()];
}

/** What people do to each component and to the declaration. */
function peoplesDeeds(beside: Beside): NamedDeed[] {
  const paths = ["a/net", ...pathsBeside[beside]];
  const first = firstDeclared(beside);
  const deployed: [string, Variant][] = [
    ["deploy as it was", first],
    ["deploy size 2", { ...first, size: 2 }],
    ["deploy size 2, retained", { ...first, size: 2, retained: true }],
    ["deploy with an app", { ...first, declared: [...new Set([...first.declared, "a/app"])] }],
    ["deploy with the network alone", { ...first, declared: [] }],
  ];
  if (beside === "an app")
    deployed.push(["deploy size 2, scale left to the cloud", { ...first, size: 2, level: 2, ignored: true }]);
  return [
    ...paths.flatMap((path) => componentDeeds(path).map(([name, deed]) => ({ name: `${name} ${path}`, deed }))),
    ...deployed.map(([name, variant]) => ({ name, deed: { kind: "deploy", variant } as const })),
    { name: "delete the live system", deed: { kind: "delete" } },
    { name: "claim a/net for another live system", deed: { kind: "claim", component: "a/net" } },
    ...(beside === "an app" ? secretDeeds : []),
    ...(beside === "an app in words" ? deedsInWords : []),
  ];
}

const secretDeeds: readonly NamedDeed[] = [
  { name: "rotate the secret", deed: { kind: "rotate", value: 1 } },
  { name: "take the secret away", deed: { kind: "rotate", value: null } },
];

const deedsInWords: readonly NamedDeed[] = [
  { name: "put a word of one's own at a/app", deed: { kind: "reword", component: "a/app", by: "person", value: 2 } },
  {
    name: "let the cloud use another word at a/app",
    deed: { kind: "reword", component: "a/app", by: "cloud", value: 2 },
  },
  { name: "accept the words of a/app", deed: { kind: "accept", component: "a/app" } },
  { name: "forget the words of a/app", deed: { kind: "forget", component: "a/app" } },
];

function componentDeeds(component: string): [string, Deed][] {
  const edit = (parameter: string): [string, Deed] => [
    `edit the ${parameter} of`,
    { kind: "edit", component, parameter, value: 3 },
  ];
  const plain: [string, Deed][] = [
    edit("size"),
    edit("level"),
    ["put back the parameters of", { kind: "restore", component }],
    ["remove", { kind: "remove", component }],
    ["make anew without tags", { kind: "recreate", component, tags: 0 }],
    ["ask for a check of", { kind: "check", component }],
    ["ask for the plan of", { kind: "plan", component }],
  ];
  if (component.endsWith("rule")) return plain;
  const own = component.endsWith("app") ? ["zones", "scale", "password"] : ["mode"];
  return [
    ["take over", { kind: "tag", component, key: "managed-by", value: null }],
    ["claim for oneself", { kind: "tag", component, key: "managed-by", value: "me" }],
    ["set the management tag of", { kind: "tag", component, key: "managed-by", value: "platform" }],
    ["set the reconcile tag of", { kind: "tag", component, key: "platform", value: "reconcile" }],
    ["take the reconcile tag off", { kind: "tag", component, key: "platform", value: null }],
    ["hand back", { kind: "hand-back", component }],
    ...plain,
    edit("team"),
    ...own.map(edit),
    ["make anew with the management tag", { kind: "recreate", component, tags: 1 }],
    ["make anew with both tags", { kind: "recreate", component, tags: 2 }],
    ["annotate", { kind: "annotate", component }],
  ];
}

/** What fails: every kind of cloud call in every way, commits, credentials, clocks, processes, and slow writes. */
function mishaps(): NamedDeed[] {
  const calls: readonly CloudCallKind[] = ["read", "bulk", "write", "removeTag", "find"];
  const ways: readonly CloudFault["what"][] = ["fail", "reject", "throttle", "lose-answer", "late"];
  const cloud = calls.flatMap((call) =>
    ways.map((what) => ({
      name: `cloud: ${call} ${what}`,
      deed: { kind: "cloud-fault", cloud: 0, call, fault: { what, times: 1 } } as const,
    })),
  );
  const store = (["fail", "lose-answer", "late"] as const).map((what) => ({
    name: `store: ${what}`,
    deed: { kind: "store-fault", fault: { what, times: 1 } } as const,
  }));
  const processes = [0, 1].flatMap((process): NamedDeed[] => [
    { name: `crash worker ${process}`, deed: { kind: "crash", process, afterCalls: 0, downMs: 10_000 } },
    { name: `restart worker ${process}`, deed: { kind: "restart", process } },
    { name: `clock of worker ${process} an hour on`, deed: { kind: "clock", process, ms: 3_600_000 } },
    { name: `clock of worker ${process} a minute back`, deed: { kind: "clock", process, ms: -60_000 } },
  ]);
  const slow = (["done", "marked", "unmarked"] as const).map((ends) => ({
    name: `cloud: slow write, ${ends === "done" ? "done in the end" : `given up, ${ends}`}`,
    deed: { kind: "slow", cloud: 0, writes: { takesMs: 100_000, times: 1, ends, hidden: false } } as const,
  }));
  return [
    ...cloud,
    ...store,
    { name: "credentials go", deed: { kind: "credentials", cloud: 0, there: false } },
    { name: "credentials come", deed: { kind: "credentials", cloud: 0, there: true } },
    ...processes,
    ...slow,
  ];
}
