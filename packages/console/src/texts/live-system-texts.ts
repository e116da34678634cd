/** How many components a plan would do something to, by what it is. */
export type PlanCounts = Readonly<
  Record<"create" | "change" | "move" | "delete" | "release" | "adopted" | "tags" | "stuck" | "held" | "same", number>
>;

/** Of how many components a deletion deletes the resource, and which it keeps. */
interface DeletionCounts {
  readonly deleted: number;
  readonly all: number;
  readonly kept: readonly string[];
}

/** How many of those it names. */
const named = 8;

/** The texts of live systems, deploys and declarations. */
export const liveSystemTexts = {
  liveSystems: {
    title: "Live systems",
    columns: ["Name", "Environment", "Components", "Health"],
    count: (count: number) => (count === 1 ? "1 live system" : `${count} live systems`),
    show: "Show",
    inTrouble: "what needs somebody",
    noneFound: "No live system matches these filters.",
    make: "New live system",
    none: "No live systems that you can see.",
    needsEnvironment: "First create an environment, and initialize it in a cloud. It is the place of a live system.",
    makeEnvironment: "Create an environment",
    within: (environment: string) => `In the environment ${environment}.`,
    all: "Show all",
    graph: "Components, in the order of their dependencies",
    noComponents: "No components are declared.",
    needs: (paths: string) => `needs ${paths}`,
    statuses: { Active: "Active", Deleting: "Deleting", Releasing: "Releasing", Deleted: "Deleted" },
    history: "History",
    historyColumns: ["When", "What", "Who"],
    noHistory: "No deploys yet.",
    deleted: "This live system has been deleted.",
    toAll: "All live systems",
  },
  deletion: {
    label: "Delete this live system",
    ask: (name: string, { deleted, all, kept }: DeletionCounts) => {
      const of =
        deleted === all
          ? `its ${all === 1 ? "component" : `${all} components`}`
          : `${deleted} of its ${all} components`;
      const deletes = deleted === 0 ? "" : ` and the cloud ${deleted === 1 ? "resource" : "resources"} of ${of}`;
      const stays =
        kept.length === 1
          ? "It stays in the cloud as it is, and nothing manages it any more."
          : "They stay in the cloud as they are, and nothing manages them any more.";
      const rest = kept.length - named;
      const those = `${kept.slice(0, named).join(", ")}${rest > 0 ? `, and ${rest} more` : ""}`;
      const keeps = `${kept.length} ${kept.length === 1 ? "is" : "are"} kept: ${those}. ${stays}`;
      return `This deletes ${name}${deletes}.${kept.length === 0 ? "" : ` ${keeps}`}`;
    },
    keptOne: {
      taken: (path: string) => `${path} (taken over)`,
      retained: (path: string) => `${path} (declared with Retain)`,
    },
  },
  mutation: {
    heads: {
      Deploy: { Pending: "Deploy pending", Running: "Deploying", Succeeded: "Deployed", Failed: "The deploy failed" },
      Delete: { Pending: "Deletion pending", Running: "Deleting", Succeeded: "Deleted", Failed: "The deletion failed" },
    },
    replaced: "Replaced by a newer deploy or deletion",
    progress: (done: number, all: number) => `${done} of ${all} done`,
    steps: (count: number) => (count === 1 ? "1 step" : `${count} steps`),
    states: {
      pending: "not started yet",
      begun: "in progress",
      converged: "done",
      held: "held: taken over",
      failed: "failed",
      blocked: "not started",
    },
    doneSince: "as declared by now",
    nextSince: (paths: string) =>
      `needed ${paths}, which matches its declaration by now; the agent continues with this`,
    deletedFirst: "something that depends on it wasn't deleted",
    waiting: { working: "The operation is still running.", failing: "The operation failed and is being retried." },
    released: (paths: string) => `Left in the cloud and no longer managed: ${paths}`,
    held: (paths: string) => `Left alone in the cloud, because they are taken over: ${paths}`,
    wasHeld: (paths: string) => `Left alone in the cloud, because they were taken over at that time: ${paths}`,
    at: "Failed at",
    cloudSays: "Message from the cloud:",
    madeUp: {
      declared: "What failed is as declared by now.",
      takenOver: "What failed is as declared by now, or taken over.",
    },
  },
  plan: {
    title: "Plan",
    component: "Component",
    action: "Action",
    changes: "Now and after the deploy",
    summary: ({ adopted, tags, stuck, held, same, ...does }: PlanCounts) => {
      const parts: (readonly [number, string])[] = [
        ...Object.entries(does).map(([what, count]) => [count, `to ${what}`] as const),
        [adopted, `to adopt as ${adopted === 1 ? "it is" : "they are"} (tags to add: ${tags})`],
        [stuck, "can't be changed as declared"],
        [held, "to leave alone"],
      ];
      const said = parts.filter(([count]) => count > 0);
      if (said.length === 0) return same === 0 ? "No components." : `No changes. All ${same} are as declared.`;
      if (same > 0) said.push([same, "unchanged"]);
      return `${said.map(([count, what]) => `${count} ${what}`).join(", ")}.`;
    },
    addsTag: "adds the tag managed-by=platform",
    unmanaged: "is no longer managed; the cloud keeps its value",
    from: (path: string) => `from ${path}`,
    nothing: "nothing",
    hidden: "(set, hidden)",
  },
  declaration: {
    title: "Declaration",
    label: "Declaration (JSON or YAML)",
    environment: "Environment",
    plan: "Plan",
    deploy: "Deploy",
    create: "Create and deploy",
    planFirst: "A plan shows what a deploy would do and changes nothing.",
    planNew: "A plan shows what would be created or adopted. It changes nothing, in the cloud or here.",
    draft: "You edited this text before and haven't deployed it. It is kept until you sign out or close the page.",
    discard: "Discard it",
    elsewhere: "There was another deploy since you started editing. Your text is still here.",
    chooseFirst:
      "There was another deploy meanwhile, and your text isn't deployed. Choose above the text what to keep, then plan again.",
    refusedElsewhere:
      "Your text wasn't deployed, because there was another deploy meanwhile. It is still here: plan it again.",
    added: "Added:",
    removed: "Removed:",
    changed: "Changed:",
    take: "Discard mine and load theirs",
    keep: "Keep mine and overwrite theirs",
    refused: (count: number) => (count === 1 ? "1 problem:" : `${count} problems:`),
    line: (line: number) => `line ${line}`,
    nowSent: "The text is now the JSON that is sent.",
    notYaml: "This isn't a declaration in JSON or YAML. It needs name, environmentId and components.",
    help: "Members of a declaration",
    yaml: "You can type or paste YAML, such as a file for the command line. It is turned into JSON when you plan.",
    keys: "Ctrl+Space suggests what may come at the cursor. The arrow keys choose, Enter writes it, and Escape closes the list.",
    suggested: "Suggestions",
    suggestions: (count: number) =>
      `${count === 1 ? "1 suggestion" : `${count} suggestions`}. The arrow keys choose one, Enter writes it.`,
    members: {
      name: "the name people see; description: more about it",
      environmentId:
        "its environment: {type, ownerId, shortName}; ownerId is an ID, the name of an organization, or me",
      resourceGroupId: "the resource group it belongs to: {resourceGroupType, ownerId, shortName}",
      adopt: "exact: an existing resource is adopted only if nothing in it differs",
      components: "up to 500, each with the members below",
      path: "its name within the live system, such as network/vnet; movedFrom: its previous path",
      provider: "provider-a (Azure) or provider-b (Google Cloud)",
      type: "such as Microsoft.Web/sites@2024-04-01",
      resourceId: "an existing resource to adopt; resourceName: the name for a new one",
      parameters: 'its settings; {"$output": "network/vnet#id"} and {"$secret": "name"} are replaced by values',
      dependsOn: "paths to deploy first, in addition to those whose outputs it reads",
      overrideWith: "the path of the component whose tags also apply to this one",
      muteDrift:
        "parameters whose drift raises no alert; ignoreChanges: pointers left to the cloud after creation; allowExtraItems: pointers of lists that may contain more",
      unconditionalWrites:
        "true: allow corrections even if the cloud can't make a write depend on the state that was read",
      deletionPolicy:
        "Delete or Retain: what happens to the resource when the component is removed from the declaration",
    },
  },
} as const;
