import type { LifecycleRow } from "../../src/override/protocol/lifecycle-row.ts";
import { lifecycleTable } from "../../src/override/protocol/lifecycle-table.ts";

/** The guide to the lifecycle: the table and the diagram, from the table that the agent decides by. */
export function lifecyclePage(): string {
  return `${[
    "# The lifecycle of a component",
    "Generated from the table that the agent decides by; a test keeps the two equal.",
    "Each check looks at the resource directly and takes the first row that fits. A status or a write is decided on a direct read alone. What a row permits is done after the new state is stored, under a condition (the resource's etag, or a reread right before), and the resource is read again afterwards.",
    "```mermaid",
    diagram(),
    "```",
    ...(["Active", "ManualOverride", "ReconcileRequested"] as const).flatMap((status) => [
      `## ${status}`,
      table(status),
    ]),
    ...more,
    "The management tag is `managed-by=platform`, the reconcile tag `platform=reconcile`. *Drift* also stands for a reference that can't be resolved.",
  ].join("\n\n")}\n`
    .replaceAll("```mermaid\n\n", "```mermaid\n")
    .replaceAll("\n\n```\n", "\n```\n");
}

const more = [
  "## What a failed deploy leaves",
  "An accepted deploy is in force for all of its components at once, however far it comes: whatever is shown, compared and corrected from then on is what it declares. What failed is tried again with growing pauses. What depends on it, and was never carried out as it is declared now, is read and shown, and not written: `inSync` is false with the reason `Blocked`, and the message names what has to come first. What was carried out once is corrected whatever the others do. Nothing goes back to an older declaration; to go back, deploy the older one. `lastMutation` of the live system says what went wrong. A deploy that is accepted while another runs takes its place: the older one ends `Failed` with `Superseded`.",
  "## Moving a component",
  "`movedFrom: \"<old path>\"` in a component says that it is the one that had that path. It keeps its resource and its resource's name, its override, its ledger and its outputs; nothing is written to a cloud; the old id is gone (404), and `component.moved` tells both. Type and provider stay. Two may swap their paths, several may follow each other. A definition that is deployed again moves nothing again, so `movedFrom` may stay where it is. A new component may take the old path at once: its resource gets a name of its own. Without it a component under another path is another one: the old one's resource is deleted, and a new one made. The plan of the deploy says `move`, and warns where a component goes while one of its type comes. References and `dependsOn` name the new path.",
  "## When a deletion fails",
  "What couldn't be deleted stays in sight: the live system stays `Deleting`, its components carry `leaving: true` and read `inSync` false with the reason `Leaving`. They are read and shown, corrected no more, and take no part in the hand-back: a reconcile tag does nothing. Delete again, and it goes on where it stopped; or deploy, and what is declared is taken back and the rest is tried again. Writes are refused only while a delete waits or runs. The same holds for one component that left the declaration.",
  "## When a cloud takes its time",
  "A cloud may accept a write and go on with it for minutes. Such a component shows `working` (since when, and how far where the cloud says so), and its `inSync` is `null` with the reason `InTransition`. Nothing is written meanwhile, and no status changes, but one: a management tag that is seen off hands the component over, as ever. Where the read doesn't return the resource, as of one that is still being made, its tags are unknown, and unknown is never *off*.",
  "The write's operation is followed by whichever process is there, at the pace that the cloud asks for, between two checks too, and by another one after a crash: its address lies sealed with the component. It is followed in every status. While it goes on it counts in `writesInFlight`; if it lands after the tag was taken off, `component.race_detected` says what it changed. What somebody else has asked of the cloud is waited for in the same way.",
  "A mutation waits, too. Its step says what for (`steps[].waiting`), and gives up after an hour (`stepWaitSeconds`). A cloud that throttles, fails inside or can't be reached is tried again for fifteen minutes (`stepRetrySeconds`). It asks at the pace that the cloud names, or, where it names none, after pauses that grow from less than a second to ten. Waiting holds no lock, claim, lease or job: other deploys go on, a process that starts again goes on, and the time counts from when the waiting began.",
  "## When a cloud fails",
  "An operation that ended badly, or a resource that says of itself that it failed, gives `inSync: false` with the reason `ProvisioningFailed`, and the cloud's own words beside it: `providerCode`, `providerMessage` (at most 1,024 characters, every known secret taken out) and `providerRequestId`, which the vendor's support asks for. They stand in the condition, in the mutation's error and its step, in `component.correction_failed`, and code and request id in the log. A mutation ends Failed with them; afterwards the agent writes again after rests that grow. What waits for another component as well says so in the condition's message, and names it. What failed at somebody else's hands is told once, by `component.failed`, whoever has the resource.",
  "## What is the cloud's own",
  "`ignoreChanges` names places in the parameters, by JSON Pointer, at or above arrays. They are set when the resource is made, and made anew. Once it is there they are no drift, and nobody corrects, plans or keeps them; a write that has to send a whole body carries what is there. A reference or an immutable member there holds nothing up: a secret that it names may be gone, a component that it names may fail. The component shows both values in `ignored`.",
  "## Who is waited for",
  "A component that is declared with `overrideWith` answers to another one. While a person has that one it is left alone, also when it is declared under another since: until the first is given back. If the first is released, so is it. What isn't made yet and has to wait says for what: `inSync` is `false` with the reason `Held`. A secret or an output that is gone gives `ReferenceGone`, named in the message.",
  "## What is said at a take-over",
  "The tags `platform-reason`, `platform-owner` and `platform-until` are read once, when the management tag is seen off, and stand in `override.said`. Nobody declares them, and the agent neither writes nor removes them. `until` is a day or an instant (a label spells it `2030-01-02t15-00-00z`); what is past or can't be read is left out. It reminds, and ends nothing.",
  "Who took it over stands in `override.takenOverBy`, where the cloud's own record tells and may be read: Azure's activity log, Google's audit log. It is asked once, some minutes later.",
  "## What binds a write",
  [
    "| a type's `boundBy` | what it means for a person who takes over at the very moment of a write |",
    "| --- | --- |",
    "| `etag` | the cloud refuses the write: nothing happens to what they hold |",
    "| `fingerprint` | the cloud refuses it if the part that the fingerprint stands for moved; of the tags that is the management tag, too |",
    "| `mask` | the write may land, and changes only what it names; their other edits and the tags stay, and `component.race_detected` tells of it |",
    "| `none` | the type takes whole bodies only: the write may undo what they did in between, the removed tag included, and nobody would see it |",
  ].join("\n"),
  "It is told in three parts, for creation, properties and tags. Where nothing is refused the agent reads once more right before it writes. A component of a type whose properties or tags are bound by nothing is not corrected: its drift stays, `inSync` is `false` with the reason `NotCorrectable`. Whoever accepts the window declares `unconditionalWrites: true` on the component. The protocol's own tags are in no write of properties but the creation; the reconcile tag is removed by the cloud's call for one tag.",
];

function table(status: LifecycleRow["from"]): string {
  const rows = lifecycleTable.filter(({ from }) => from === status);
  const lines = rows.map(({ seen, to, does }) => `| ${seen} | ${to} | ${does} |`);
  return ["| what the check sees | next | what it does |", "| --- | --- | --- |", ...lines].join("\n");
}

function diagram(): string {
  const moves = lifecycleTable.filter(({ from, to }) => from !== to);
  const lines = moves.map(({ from, to, seen }) => `  ${from} --> ${to}: ${seen.replaceAll(/[:;]/g, ",")}`);
  return ["stateDiagram-v2", "  [*] --> Active", ...new Set(lines)].join("\n");
}
