import type { LifecycleRow } from "../../src/override/protocol/lifecycle-row.ts";
import { lifecycleTable } from "../../src/override/protocol/lifecycle-table.ts";

/** The guide to the lifecycle: the table and the diagram, from the table that the agent decides by. */
export function lifecyclePage(): string {
  return `${[
    "# The lifecycle of a component",
    "This page is generated from the table that the agent uses; a test keeps the two equal. [The specification](override-protocol.md) defines the protocol for any tool.",
    "Each check reads the resource and uses the first row that matches. Only a direct read can change a status or permit a write. The agent stores the new state first. It then writes under a condition (the resource's etag, or a reread right before), and reads the resource again.",
    "```mermaid",
    diagram(),
    "```",
    ...(["Active", "ManualOverride", "ReconcileRequested"] as const).flatMap((status) => [
      `## ${status}`,
      table(status),
    ]),
    ...more,
    "The management tag is `managed-by=platform`, the reconcile tag `platform=reconcile`. *Drift* includes a reference that can't be resolved.",
  ].join("\n\n")}\n`
    .replaceAll("```mermaid\n\n", "```mermaid\n")
    .replaceAll("\n\n```\n", "\n```\n");
}

const more = [
  "## What a failed deploy leaves",
  "An accepted deploy is in force for all of its components at once, however far it gets. From then on liveplane shows, compares and corrects by the new declaration. A failed step is tried again with growing pauses. A component that depends on it and was never carried out as now declared is read and shown, but not written. Its `inSync` is false with the reason `Blocked`, and the message names what must come first. A component that was carried out once is corrected independently of the others. A missing resource is created again once everything it depends on exists; until then the reason is also `Blocked`. The agent never returns to an older declaration by itself; to go back, deploy the older one. `lastMutation` of the live system shows what went wrong. If you deploy while another deploy runs, the new one replaces it, and the older one ends `Failed` with `Superseded`.",
  "## Moving a component",
  "`movedFrom: \"<old path>\"` in a component declares that it used to have that path. It keeps its resource, the resource's name, its override, its ledger and its outputs. Nothing is written to a cloud. The old id returns 404, and `component.moved` contains both ids. Type and provider can't change. Two components may swap paths, and a chain of moves is allowed. Deploying the same definition again moves nothing, so you can leave `movedFrom` in place. A new component may take the old path at once; its resource gets its own name. Without `movedFrom`, a component under another path is another component: the old resource is deleted and a new one is created. The plan of the deploy shows `move`, and warns if one component disappears while another of the same type appears. References and `dependsOn` use the new path.",
  "## When a deletion fails",
  "Whatever couldn't be deleted stays visible. The live system stays `Deleting`; its components have `leaving: true`, and their `inSync` is false with the reason `Leaving`. They are read and shown but no longer corrected, and a reconcile tag has no effect. Delete again to continue where it stopped. Or deploy: the declared components stay, and the deletion of the others is tried again. Writes are refused only while a delete waits or runs. The same applies to a single component that left the declaration.",
  "## When a cloud takes its time",
  "A cloud may accept a write and take minutes to finish it. Such a component shows `working` (since when, and how far if the cloud reports it), and its `inSync` is `null` with the reason `InTransition`. Nothing is written meanwhile, and the status doesn't change, with one exception: a removed management tag hands the component over as usual. If the read doesn't return the resource, for example while it is being created, its tags are unknown. Unknown never counts as removed.",
  "Any running process can follow the operation, also between checks and after a crash, at the pace that the cloud asks for. The operation's address is sealed with the component. It is followed in every status, and it counts in `writesInFlight` until it ends. If it takes effect after the tag was removed, `component.race_detected` reports what changed. Operations that somebody else started in the cloud are waited for in the same way.",
  "A mutation waits too. `steps[].waiting` shows what a step waits for, and the step gives up after an hour (`stepWaitSeconds`). If a cloud throttles, fails internally or can't be reached, the step tries again for fifteen minutes (`stepRetrySeconds`). It polls at the pace that the cloud names, or with pauses that grow from less than a second to ten. Waiting holds no lock, claim, lease or job. Other deploys continue, and so does the wait after a restart; the time counts from its beginning.",
  "## When a cloud fails",
  "If an operation fails, or a resource reports its own failure, `inSync` is false with the reason `ProvisioningFailed`. The condition contains the cloud's own words: `providerCode`, `providerMessage` (at most 1,024 characters, without known secrets, or `[redacted]` if it may repeat a former secret) and `providerRequestId` for the vendor's support. The same words are in the mutation's error, its step and `component.correction_failed`; the code and the request id are also in the log. The mutation ends `Failed`. Afterwards the agent writes again, with growing pauses. If the component also waits for another one, the message names that one. A failure caused by somebody else is reported once, by `component.failed`, even during an override.",
  "## What is the cloud's own",
  "`ignoreChanges` lists places in the parameters as JSON Pointers. Items of lists are named by their key: `/agentPools/name=system/count`. These parameters are set when the resource is created or recreated. Afterwards they don't count as drift, and nobody corrects, plans or keeps them. A write that must send a whole body sends their current values. A reference or an immutable member at such a place blocks nothing, even if its secret is gone or its component fails. The component shows both values in `ignored`.",
  "`allowExtraItems` lists JSON Pointers to lists that may contain items of the cloud's own. Such items don't count as drift, and every correction keeps them. Items that the agent applied there are removed when they are no longer declared. Everywhere else an extra item is drift. Add the pointer before you remove items: the agent remembers only what it applies while the pointer is declared.",
  "A cloud may also show a declared value in its own words. [Settled forms](../explanation/settled-forms.md) explains how the agent learns that, and when it stops writing.",
  "## Who is waited for",
  "A component declared with `overrideWith` follows another component. While a person has that other component, the agent leaves this one alone until the other is handed back. This also holds if a later declaration names another component. If the other component is released, so is this one. Meanwhile it shows `override: { heldBy }` with the ID of the other component, and `inSync` has the reason `HeldBy`. If the other resource is missing, nothing of this one is written either until it is there again: `inSync` has the reason `Blocked`. A component that can't be created yet because the component that it refers to doesn't exist shows `Held`. A secret or an output that doesn't exist gives `ReferenceNotFound`, and the message names it.",
  "## What is said at a take-over",
  "When the agent sees that the management tag was removed, it reads the tags `platform-reason`, `platform-owner` and `platform-until` once and stores them in `override.said`. A declaration can't contain these tags, and the agent neither writes nor removes them. `until` is a day or an instant (as a label: `2030-01-02t15-00-00z`). A past or unreadable value is ignored. It triggers a reminder and ends nothing.",
  "`override.takenOverBy` names the person, if the cloud's log contains it and may be read: Azure's activity log, Google's audit log. The agent asks the log once, some minutes later.",
  "## What binds a write",
  [
    "| a type's `boundBy` | effect on a person who takes over at the moment of a write |",
    "| --- | --- |",
    "| `etag` | the cloud refuses the write, and their resource stays as it is |",
    "| `fingerprint` | the cloud refuses the write if the part covered by the fingerprint changed; for tags this includes the management tag |",
    "| `mask` | the write may take effect, but changes only the named parameters; other edits and the tags stay, and `component.race_detected` reports it |",
    "| `none` | the type accepts whole bodies only: the write may undo their changes, including the removed tag, without anybody noticing |",
  ].join("\n"),
  "`boundBy` has three parts: creation, properties and tags. Where the cloud refuses nothing, the agent reads again right before it writes. If a type's properties or tags are bound by `none`, its components aren't corrected: the drift stays, and `inSync` is `false` with the reason `NotCorrectable`. To accept that risk, declare `unconditionalWrites: true` on the component. A write of properties contains the protocol's tags only at creation. The agent removes the reconcile tag with the cloud's call for a single tag.",
];

function table(status: LifecycleRow["from"]): string {
  const rows = lifecycleTable.filter(({ from }) => from === status);
  const lines = rows.map(({ seen, to, does }) => `| ${seen} | ${to} | ${does} |`);
  return ["| what the check finds | next status | what it does |", "| --- | --- | --- |", ...lines].join("\n");
}

function diagram(): string {
  const moves = lifecycleTable.filter(({ from, to }) => from !== to);
  const lines = moves.map(({ from, to, seen }) => `  ${from} --> ${to}: ${seen.replaceAll(/[:;]/g, ",")}`);
  return ["stateDiagram-v2", "  [*] --> Active", ...new Set(lines)].join("\n");
}
