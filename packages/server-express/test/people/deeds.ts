import { checked, deployed, left, type ModelComponent, type ModelResource, type Values } from "./person-model.ts";

/** The components that people have. */
export const paths = ["net", "app"] as const;
export type Path = (typeof paths)[number];

/** What people do. Those with a path are about one component. */
export type Deed =
  | {
      readonly kind: "tags";
      readonly path: Path;
      readonly managed: boolean;
      readonly asked: boolean;
      readonly why?: string;
    }
  | { readonly kind: "edit"; readonly path: Path; readonly values: Values }
  | { readonly kind: "remove"; readonly path: Path }
  | {
      readonly kind: "recreate";
      readonly path: Path;
      readonly managed: boolean;
      readonly asked: boolean;
      readonly values: Values;
    }
  | { readonly kind: "check" | "plan" | "keep"; readonly path: Path }
  | { readonly kind: "annotate"; readonly path: Path; readonly reason: string }
  | { readonly kind: "leave"; readonly path: Path }
  | { readonly kind: "deploy"; readonly values: Values }
  | { readonly kind: "pass" };

/** What people know of the world. */
export type Model = Readonly<Record<Path, ModelComponent>>;

/** What a deed leads to. */
export function after(model: Model, deed: Deed): Model {
  if (deed.kind === "deploy") return everyOne(model, (one) => deployed(one, deed.values));
  if (deed.kind === "pass") return everyOne(model, (one) => checked(one));
  if (deed.kind === "leave") {
    const others = everyOne(model, (one) => (one.record === null ? one : deployed(one, one.declared)));
    return { ...others, [deed.path]: left(model[deed.path]) };
  }
  if (deed.kind === "keep") {
    const kept = keptBy(model[deed.path]);
    return everyOne(model, (one, path) =>
      one.record === null ? one : deployed(one, path === deed.path ? kept : one.declared),
    );
  }
  const one = model[deed.path];
  return { ...model, [deed.path]: afterOne(one, deed) };
}

/** The declaration that keeps what the last read showed. */
function keptBy({ declared, record }: ModelComponent): Values {
  return record?.seen == null ? declared : { size: record.seen.size, tier: record.seen.tier };
}

function everyOne(model: Model, change: (one: ModelComponent, path: Path) => ModelComponent): Model {
  return { net: change(model.net, "net"), app: change(model.app, "app") };
}

type OwnDeed = Exclude<Deed, { readonly kind: "deploy" | "pass" | "leave" | "keep" }>;

function afterOne(component: ModelComponent, deed: OwnDeed): ModelComponent {
  const { resource } = component;
  const changed = (now: ModelResource) => ({ ...component, resource: now });
  switch (deed.kind) {
    case "tags":
      return resource === null
        ? component
        : changed({ ...resource, managed: deed.managed, asked: deed.asked, why: deed.why ?? null });
    case "edit":
      return resource === null ? component : changed({ ...resource, ...deed.values });
    case "remove":
      return { ...component, resource: null };
    case "recreate": {
      if (resource !== null) return component;
      const identity = component.made + 1;
      const { managed, asked, values } = deed;
      return { ...changed({ ...values, identity, managed, asked, why: null }), made: identity };
    }
    case "annotate": {
      const ledger = component.ledger.map((one) => (one.outcome === null ? { ...one, reason: deed.reason } : one));
      return component.record?.status === "Active" ? component : { ...component, ledger };
    }
    case "check":
      return checked(component);
    default:
      return component;
  }
}

/** Draws what somebody does next, among what can be done. */
export function drawDeed(model: Model, chance: () => number): Deed {
  const below = (most: number) => Math.floor(chance() * most);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const path = pick(paths);
  const { record, resource, declared } = model[path];
  const values = () => ({ size: 1 + below(3), tier: pick(["hot", "cold"]) });
  const either = () => chance() < 0.5;
  const own: Deed[] = [];
  if (resource === null) {
    const recreated = either() ? values() : { size: declared.size, tier: declared.tier };
    own.push({ kind: "recreate", path, managed: either(), asked: either(), values: recreated });
  } else {
    own.push(
      { kind: "tags", path, managed: false, asked: false, ...(either() && { why: `because ${below(9)}` }) },
      { kind: "tags", path, managed: true, asked: true },
      { kind: "tags", path, managed: either(), asked: either() },
      { kind: "edit", path, values: either() ? values() : { size: declared.size, tier: declared.tier } },
      { kind: "edit", path, values: values() },
      { kind: "remove", path },
    );
  }
  if (record !== null) {
    own.push({ kind: "check", path }, { kind: "check", path }, { kind: "plan", path }, { kind: "keep", path });
    own.push({ kind: "annotate", path, reason: `reason ${below(9)}` });
    if (paths.every((other) => other === path || model[other].record !== null)) own.push({ kind: "leave", path });
  }
  own.push({ kind: "deploy", values: values() }, { kind: "pass" }, { kind: "pass" });
  return pick(own);
}
