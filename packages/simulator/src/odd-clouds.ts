import type { Cloud, CloudCredentials, Reading, ResourceRef, SeenResource } from "@liveplane/core/clouds";

/** Where a cloud's words repeat a secret. */
export const unsaidSecret = "{secret}";

/** What a cloud says about a resource that it gave up. */
interface Sayings {
  /** The secret that it repeats about a resource; `null` for none. */
  readonly secret: (ref: Pick<ResourceRef, "type" | "resourceId">) => string | null;
  /** It doesn't show such a resource. */
  readonly isShy: () => boolean;
}

/** A cloud whose words about a failure repeat a secret, and that may show nothing of what it gave up. */
export function sayingCloud(cloud: Cloud, { secret, isShy }: Sayings): Cloud {
  const said = (message: string, ref: ResourceRef) => message.replaceAll(unsaidSecret, secret(ref) ?? "it");
  const saying = (reading: Reading, ref: ResourceRef): Reading => {
    if (reading.state !== "failed") return reading;
    const { resource, ...words } = { ...reading, message: said(reading.message, ref) };
    return isShy() || resource === undefined ? words : { ...words, resource };
  };
  return {
    ...cloud,
    read: async (ref, call) => saying(await cloud.read(ref, call), ref),
    readMany: async (refs, call) =>
      (await cloud.readMany(refs, call)).map((reading, at) => saying(reading, refs[at] as ResourceRef)),
    follow: async (ref, operation, call) => {
      const reading = (await cloud.follow?.(ref, operation, call)) ?? { state: "gone" };
      return reading.state === "failed" ? { ...reading, message: said(reading.message, ref) } : reading;
    },
  };
}

/** A cloud that tells with which credentials it is called, and about what. */
export function toldCloud(
  cloud: Cloud,
  tell: (names: readonly string[], credentials: CloudCredentials) => void,
): Cloud {
  const about =
    <Ref extends { readonly resourceId: string }, Rest extends unknown[], T>(
      run: (ref: Ref, ...rest: Rest) => Promise<T>,
    ) =>
    (ref: Ref, ...rest: Rest): Promise<T> => {
      tell([ref.resourceId], (rest.at(-1) as { readonly credentials: CloudCredentials }).credentials);
      return run(ref, ...rest);
    };
  return {
    ...cloud,
    read: about(cloud.read),
    update: about(cloud.update),
    remove: about(cloud.remove),
    removeTag: about(cloud.removeTag),
    ...(cloud.follow && { follow: about(cloud.follow) }),
    ...(cloud.whoChanged && { whoChanged: about(cloud.whoChanged) }),
    create: (resource, call) => {
      tell([`/${resource.name}`], call.credentials);
      return cloud.create(resource, call);
    },
    readMany: (refs, call) => {
      tell(
        refs.map(({ resourceId }) => resourceId),
        call.credentials,
      );
      return cloud.readMany(refs, call);
    },
  };
}

/** A cloud of which every third read shows no etag. */
export function forgetfulCloud(cloud: Cloud): Cloud {
  let reads = 0;
  return {
    ...cloud,
    async read(ref, call) {
      const reading = await cloud.read(ref, call);
      reads += 1;
      if (reading.state !== "present" || reads % 3 !== 0) return reading;
      const { etag: _, ...shown } = reading;
      return shown;
    },
  };
}

/** How long a former address of an operation can still be asked: longer than any process pauses. */
const formerMs = 90_000;

/** A cloud that answers with a new address of a running operation each time it is asked. Its processes share when each address got a successor. */
export function movingCloud(cloud: Cloud, succeededAt: Map<string, number>, now: () => number): Cloud {
  return {
    ...cloud,
    async follow(ref, operation, call) {
      const [own = "", turn = 0] = operation.address.split("#");
      const since = succeededAt.get(operation.address) ?? now();
      if (now() >= since + formerMs) return { state: "gone" };
      const reading = (await cloud.follow?.(ref, { ...operation, address: own }, call)) ?? { state: "gone" };
      if (reading.state !== "working") return reading;
      succeededAt.set(operation.address, since);
      return { ...reading, address: `${own}#${Number(turn) + 1}` };
    },
  };
}

/** A cloud that takes values of a type and never shows them. The same type is the same object each time. */
export function hidingCloud(cloud: Cloud, type: string, names: readonly string[]): Cloud {
  const plain = cloud.resourceType(type);
  const described = { ...plain, writeOnly: [...plain.writeOnly, ...names] };
  const hiding = showingCloud(cloud, (resource) => {
    if (!names.some((name) => Object.hasOwn(resource.parameters, name))) return resource;
    const shown = Object.entries(resource.parameters).filter(([name]) => !names.includes(name));
    return { ...resource, parameters: Object.fromEntries(shown) };
  });
  return { ...hiding, resourceType: (asked) => (asked === type ? described : cloud.resourceType(asked)) };
}

/** A cloud whose reads and answers show resources in another way. */
export function showingCloud(cloud: Cloud, shows: (resource: SeenResource) => SeenResource): Cloud {
  const reading = (one: Reading): Reading => {
    if (one.state === "present") return { ...one, ...shows(one) };
    return (one.state === "working" || one.state === "failed") && one.resource
      ? { ...one, resource: shows(one.resource) }
      : one;
  };
  const answer = <T extends { readonly shown?: SeenResource }>(one: T): T =>
    one.shown ? { ...one, shown: shows(one.shown) } : one;
  return {
    ...cloud,
    read: async (ref, call) => reading(await cloud.read(ref, call)),
    readMany: async (refs, call) => (await cloud.readMany(refs, call)).map(reading),
    create: async (resource, call) => answer(await cloud.create(resource, call)),
    update: async (ref, change, condition, call) => answer(await cloud.update(ref, change, condition, call)),
  };
}
