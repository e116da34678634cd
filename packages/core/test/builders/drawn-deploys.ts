import fc from "fast-check";
import type { SimulatedChange } from "../../src/clouds/index.ts";
import type { Component, LiveSystemDefinition } from "../../src/contract/schemas/live-system-schemas.ts";
import { both, definition, managed } from "./handed-over.ts";
import { overrideWorld, subscribe } from "./override.ts";

/** The kinds that each cloud is tried with: one that stands for others, one that others stand for, one by itself. */
export const flavours = [
  {
    provider: "provider-a",
    kinds: {
      plain: "Microsoft.Compute/virtualMachines@2024-03-01",
      tagOwner: "Microsoft.Network/virtualNetworks@2024-05-01",
      governed: "Microsoft.Network/virtualNetworks/subnets@2024-05-01",
    },
    tags: "tags",
    immutable: "location",
  },
  {
    provider: "provider-b",
    kinds: { plain: "compute.v1.instance", tagOwner: "compute.v1.instance", governed: "compute.v1.subnetwork" },
    tags: "labels",
    immutable: "zone",
  },
] as const;

export type Flavour = (typeof flavours)[number];

/** What is drawn of one component: what is declared at first, what happens to it, what is declared next. */
interface Drawn {
  readonly path: string;
  readonly first: Part | null;
  readonly happens: readonly Happening[];
  readonly next: Part | null;
  readonly movedFrom: string | null;
}

interface Part {
  readonly size: number;
  readonly place: string;
  readonly tag: string | null;
  readonly ignores: boolean;
  readonly retained: boolean;
  readonly under: string | null;
  readonly reads: string | null;
  readonly dependsOn: string | null;
}

const happenings = [
  "edited",
  "scaled",
  "deleted",
  "made by hand",
  "looked at",
  "tagged",
  "taken over",
  "given back",
  "lost and found",
] as const;
type Happening = (typeof happenings)[number];

const untagged: readonly Happening[] = happenings.slice(0, 5);
const kindOf = {
  a: "plain",
  b: "plain",
  c: "plain",
  x: "governed",
  y: "governed",
  n: "tagOwner",
  m: "tagOwner",
} as const;
const paths = Object.keys(kindOf) as (keyof typeof kindOf)[];

function partOf(path: keyof typeof kindOf): fc.Arbitrary<Part> {
  const isGoverned = kindOf[path] === "governed";
  return fc.record({
    size: fc.integer({ min: 1, max: 2 }),
    place: kindOf[path] === "plain" ? fc.constantFrom("one", "one", "one", "one", "two") : fc.constant("one"),
    tag: isGoverned ? fc.constant(null) : fc.constantFrom(null, "one", "two"),
    ignores: fc.boolean(),
    retained: fc.constantFrom(false, false, true),
    under: isGoverned ? fc.constantFrom("n", "m") : fc.constant(null),
    reads: path === "c" ? fc.constantFrom(null, "a", "b") : fc.constant(null),
    dependsOn: path === "b" ? fc.constantFrom(null, "a") : fc.constant(null),
  });
}

function drawnOf(path: keyof typeof kindOf): fc.Arbitrary<Drawn> {
  const deeds = kindOf[path] === "governed" ? untagged : happenings;
  const sources = paths.filter((one) => kindOf[one] === "plain" && one !== path);
  return fc.record({
    path: fc.constant(path),
    first: fc.option(partOf(path), { freq: 6 }),
    happens: fc.array(fc.constantFrom(...deeds), { maxLength: 4 }),
    next: fc.option(partOf(path), { freq: 4 }),
    movedFrom: kindOf[path] === "plain" ? fc.constantFrom(null, ...sources) : fc.constant(null),
  });
}

/** A live system, what becomes of it, and what it is to be deployed with; seldom more than its owner has places for. */
export const drawnDeploys = fc.record({
  components: fc.tuple(...paths.map(drawnOf)),
  places: fc.constantFrom(4, 7, 7, 7),
  /** It declares moves that can't be made, too. */
  careless: fc.constantFrom(false, false, false, true),
});

type DrawnDeploy = { readonly components: readonly Drawn[]; readonly places: number; readonly careless: boolean };

function declared(drawn: readonly Drawn[], which: "first" | "next", flavour: Flavour): LiveSystemDefinition | null {
  const there = new Set(drawn.filter((one) => one[which] !== null).map(({ path }) => path));
  const named = (path: string | null) => (path !== null && there.has(path) ? path : null);
  const parts = drawn.flatMap(({ path, movedFrom, [which]: part }) => {
    if (part === null) return [];
    const { size, place, tag, ignores, retained } = part;
    const [tagOwner, source, before] = [part.under, part.reads, part.dependsOn].map(named);
    if (part.under !== null && tagOwner === null) return [];
    // What is read stays as it is: what comes of another's change is told by no plan.
    const parameters = { size, scale: { count: size, mode: "auto" }, fixed: "here", [flavour.immutable]: place };
    return [
      {
        path,
        provider: flavour.provider,
        type: flavour.kinds[kindOf[path as keyof typeof kindOf]],
        parameters: {
          ...parameters,
          ...(tag !== null && { [flavour.tags]: { cost: tag } }),
          ...(source !== null && { at: { $output: `${source}#fixed` } }),
        },
        ...(ignores && { ignoreChanges: ["/scale/count"] }),
        ...(retained && { deletionPolicy: "Retain" }),
        ...(tagOwner !== null && { overrideWith: tagOwner }),
        ...(before !== null && { dependsOn: [before] }),
        ...(which === "next" && movedFrom !== null && { movedFrom }),
      },
    ];
  });
  return parts.length === 0 ? null : definition(parts);
}

/** Plays a drawn deploy up to the deploy itself; `null`: nothing is declared, or more than there are places for. */
export async function readyToDeploy({ components: drawn, places, careless }: DrawnDeploy, flavour: Flavour) {
  const components = careless ? drawn : drawn.map((one) => (canMove(one, drawn) ? one : { ...one, movedFrom: null }));
  const writes: SimulatedChange[] = [];
  const onChange = (change: SimulatedChange) => void (change.by === "caller" && writes.push(change));
  const world = overrideWorld({ cloud: { onChange }, plans: { discover: most, workgroup: most } });
  await subscribe(world, { maxNumberOfLiveSystems: 1, maxNumberOfComponents: places });
  const console = world.consoles[flavour.provider];
  const [first, next] = [declared(components, "first", flavour), declared(components, "next", flavour)];
  if (first === null || next === null || first.components.length > places) return null;
  const { livesystemId: id } = await world.passing(world.create(first));
  const shown = async () => {
    const page = await world.call("liveSystems.components.list", { params: { id } });
    return new Map((page as { items: Component[] }).items.map((one) => [one.id, one]));
  };
  for (let nth = 0; nth < 4; nth++) {
    for (const { path, happens } of components) {
      const known = (await shown()).get(`${id}/${path}`);
      const deed = happens[nth];
      for (const one of deed === "lost and found" ? lostAndFound : [deed]) {
        if (one === "looked at") await world.cycle();
        else if (known !== undefined && one !== undefined) await byHand(one, known, console);
      }
    }
  }
  return { world, id, next, console, shown, writes };
}

/** Whether what moves leaves an empty place, or they change places, and nothing is in the way. */
function canMove({ path, first, movedFrom }: Drawn, drawn: readonly Drawn[]): boolean {
  const source = drawn.find((one) => one.path === movedFrom);
  const isSwap = source?.movedFrom === path;
  return isSwap || (first === null && source?.next === null);
}

const lostAndFound = ["taken over", "looked at", "deleted", "looked at", "made by hand"] as const;
const most = { accounts: 5, organizations: 1, liveSystems: 1, components: 200 };

async function byHand(
  deed: Exclude<Happening, "looked at" | "lost and found">,
  { type, resourceId }: Component,
  console: ReturnType<typeof overrideWorld>["consoles"]["provider-a"],
): Promise<void> {
  const id = resourceId ?? "";
  const there = await console.get(id);
  const isTagged = !/subnet/.test(type);
  if (deed === "made by hand") {
    const made = { type, tags: isTagged ? managed : {}, parameters: { size: 5, fixed: "here" } };
    if (there === null) await console.put(id, made);
    return;
  }
  if (there === null) return;
  const { "managed-by": _, platform: __, ...others } = there.tags;
  const deeds = {
    edited: () => console.patchParameters(id, { size: 9 }),
    scaled: () => console.patchParameters(id, { scale: { count: 9 } }),
    tagged: () => console.putTags(id, { ...there.tags, cost: "other" }),
    "taken over": () => console.putTags(id, others),
    "given back": () => console.putTags(id, { ...others, ...both }),
    deleted: () => console.delete(id),
  };
  await deeds[deed]();
}
