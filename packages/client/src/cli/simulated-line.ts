import type { Component } from "@liveplane/core/contract";
import { fromProblem, isLiveplaneError } from "@liveplane/core/errors";
import { quoted } from "../shell-words.ts";
import { type HandOver, handBackTags, type TagChanges, takeOverTags } from "../tag-lines.ts";
import type { CommandCall } from "./command.ts";

/** A hand-over in a simulated cloud. */
interface SimulatedHandOver {
  readonly component: Component;
  readonly what: HandOver;
}

/** Changes tags in a simulated cloud. If the caller may not edit the live system, `line` is the command for an operator. */
export async function tagInSimulation(
  call: CommandCall,
  handOver: SimulatedHandOver,
): Promise<{ readonly line: string | null; readonly changes: TagChanges }> {
  const { url, token, host } = call;
  const { component } = handOver;
  const changes = await changesOf(call, handOver);
  const forOperator = { line: operatorsLine(url, component, changes), changes };
  if (token === undefined) return forOperator;
  const answer = await fetch(`${url}/simulator/components/${encodeURIComponent(component.id)}/tags`, {
    method: "PATCH",
    headers: {
      authorization: `Bearer ${typeof token === "string" ? token : await token()}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(changes),
    signal: host.signal,
  });
  if (answer.ok) return { line: null, changes };
  const refusal = fromProblem(await answer.json().catch(() => null), answer.status);
  if (forOthers.has(refusal.code)) return forOperator;
  throw refusal;
}

/** Refusals of what somebody else may do. A service account that acts in one environment has too narrow a scope. */
const forOthers: ReadonlySet<string> = new Set(["PermissionDenied", "InsufficientScope"]);

async function changesOf({ api }: CommandCall, { component, what }: SimulatedHandOver): Promise<TagChanges> {
  return what === "hand-back" ? handBackTags : takeOverTags(component, await ownAccount(api));
}

/** The caller's account, by the name that others see; `null` for a service account. */
async function ownAccount(api: CommandCall["api"]) {
  try {
    const { id } = await api.accounts.me();
    return { id, name: (await api.names.find({ id: [id] })).items[0]?.name ?? id };
  } catch (error) {
    if (!isLiveplaneError(error) || !forOthers.has(error.code)) throw error;
    return null;
  }
}

/** The command for an operator of a simulated cloud. Its answer, which shows the whole resource, is left out. */
function operatorsLine(url: string, { provider, resourceId }: Component, changes: TagChanges): string {
  const address = `${url}/simulator/${provider}/resources/${encodeURIComponent(resourceId ?? "")}/tags`;
  return `curl -sSf -o /dev/null -X PATCH ${quoted(address)} -H "authorization: Bearer $OPERATOR_TOKEN" -H 'content-type: application/json' -d ${quoted(JSON.stringify(changes))}`;
}
