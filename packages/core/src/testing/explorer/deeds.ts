import type { CloudCallKind, CloudFault, Deed, Variant } from "../simulator/plan.ts";

/** A deed by a name that people can read, and that names the same deed in every exploration. */
export interface NamedDeed {
  readonly name: string;
  readonly deed: Deed;
}

/** How many components are declared. */
export type Breadth = 1 | 2;

/** What is declared first: a network, and beside it an app that refers to it. */
export function firstDeclared(breadth: Breadth): Variant {
  return { declared: breadth === 2 ? ["a/app"] : [], size: 1, level: 1, retained: false };
}

/** All that people do and all that goes wrong. */
export function namedDeeds(breadth: Breadth): NamedDeed[] {
  return [...peoplesDeeds(breadth), ...mishaps()];
}

/** What people do, to each component and to the declaration. */
function peoplesDeeds(breadth: Breadth): NamedDeed[] {
  const paths = breadth === 2 ? ["a/net", "a/app"] : ["a/net"];
  const first = firstDeclared(breadth);
  const deployed: [string, Variant][] = [
    ["deploy as it was", first],
    ["deploy size 2", { ...first, size: 2 }],
    ["deploy size 2, retained", { ...first, size: 2, retained: true }],
    ["deploy with an app", { ...first, declared: ["a/app"] }],
    ["deploy without an app", { ...first, declared: [] }],
  ];
  return [
    ...paths.flatMap((path) => componentDeeds(path).map(([name, deed]) => ({ name: `${name} ${path}`, deed }))),
    ...deployed.map(([name, variant]) => ({ name, deed: { kind: "deploy", variant } as const })),
    { name: "delete the live system", deed: { kind: "delete" } },
  ];
}

function componentDeeds(component: string): [string, Deed][] {
  return [
    ["take over", { kind: "tag", component, key: "managed-by", value: null }],
    ["claim for oneself", { kind: "tag", component, key: "managed-by", value: "me" }],
    ["set the management tag of", { kind: "tag", component, key: "managed-by", value: "platform" }],
    ["set the reconcile tag of", { kind: "tag", component, key: "platform", value: "reconcile" }],
    ["take the reconcile tag off", { kind: "tag", component, key: "platform", value: null }],
    ["hand back", { kind: "hand-back", component }],
    ["edit the size of", { kind: "edit", component, parameter: "size", value: 3 }],
    ["edit the level of", { kind: "edit", component, parameter: "level", value: 3 }],
    ["edit the team of", { kind: "edit", component, parameter: "team", value: 3 }],
    ["put back the parameters of", { kind: "restore", component }],
    ["remove", { kind: "remove", component }],
    ["make anew without tags", { kind: "recreate", component, tags: 0 }],
    ["make anew with the management tag", { kind: "recreate", component, tags: 1 }],
    ["make anew with both tags", { kind: "recreate", component, tags: 2 }],
    ["ask for a check of", { kind: "check", component }],
    ["ask for the plan of", { kind: "plan", component }],
    ["annotate", { kind: "annotate", component }],
  ];
}

/** What goes wrong: every call of the cloud in every way, commits, credentials, clocks, processes. */
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
  return [
    ...cloud,
    ...store,
    { name: "credentials go", deed: { kind: "credentials", cloud: 0, there: false } },
    { name: "credentials come", deed: { kind: "credentials", cloud: 0, there: true } },
    ...processes,
  ];
}
