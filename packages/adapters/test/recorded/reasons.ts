/** Why a place of recorded pairs reads as drift with everything that is learned, or why a change there isn't seen. */
interface Reason {
  readonly type: string;
  readonly pointer: RegExp;
  readonly reason: string;
}

const ignored = "The cloud put another value in its place. Only a person can say whether that is right.";
const retired = "The recorded version of the API had this member. The described version hasn't.";
const unread = "The description says that it is never shown. The recording shows it all the same.";

const reasons: readonly Reason[] = [
  { type: "Microsoft.ServiceBus/namespaces", pointer: /^\/sku\/capacity$/, reason: ignored },
  { type: "Microsoft.Web/serverfarms", pointer: /^\/kind$/, reason: ignored },
  { type: "Microsoft.Sql/servers", pointer: /^\/properties\/version$/, reason: ignored },
  { type: "Microsoft.Web/sites", pointer: /^\/properties\/(siteMode|computeMode)$/, reason: retired },
  { type: "Microsoft.ContainerRegistry/registries", pointer: /^\/properties\/storageAccount\//, reason: retired },
  { type: "Microsoft.Sql/servers", pointer: /^\/properties\/administratorLoginPassword$/, reason: unread },
  {
    type: "compute.v1.futureReservation",
    pointer: /^\/(autoDeleteAutoCreatedReservations|schedulingType|shareSettings)$/,
    reason:
      "Google took the value and doesn't show it; instead it shows when reservations end. No description says so.",
  },
  {
    type: "artifactregistry.v1.repository",
    pointer: /^\/mode$/,
    reason: "`MODE_UNSPECIFIED` was sent, which leaves the choice to Google.",
  },
  {
    type: "storage.v1.bucket",
    pointer: /^\/storageClass$/,
    reason: "The bucket has Autoclass, under which Google shows `STANDARD` for every bucket.",
  },
  {
    type: "sqladmin.v1.instance",
    pointer: /\/authorizedNetworks\//,
    reason: "The cloud dropped an item of a list.",
  },
  { type: "compute.v1.disk", pointer: /^\/diskEncryptionKey\/rawKey$/, reason: unread },
  { type: "compute.v1.instance", pointer: /\/diskEncryptionKey\/rawKey$/, reason: unread },
  { type: "sqladmin.v1.instance", pointer: /^\/replicaConfiguration\/mysqlReplicaConfiguration\//, reason: unread },
];

/** The named reason of a place, where `*` stands for positions in lists; `null`: none is named. */
export function reasonFor(type: string, pointer: string): string | null {
  return reasons.find((one) => one.type === type && one.pointer.test(pointer))?.reason ?? null;
}
