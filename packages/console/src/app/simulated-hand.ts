import { handBackTags, type TagChanges, takeOverTags } from "@liveplane/client/tag-lines";
import type { ServerDoor } from "./server-door.ts";
import type { CloudHand, HandedComponent } from "./workplace.ts";

/** Where a resource of a simulated cloud is. */
export function simulatedPath(provider: string, resourceId: string): string {
  return `simulator/${provider}/resources/${encodeURIComponent(resourceId)}`;
}

/** Does in simulated clouds what a person does in a real one's console, and says on what they take over who has it. */
export function handThrough(
  { ask }: ServerDoor,
  ownAccount: () => Promise<Parameters<typeof takeOverTags>[1]>,
): CloudHand {
  async function retag({ id, provider, resourceId }: HandedComponent, changes: TagChanges): Promise<void> {
    const path =
      id === null ? simulatedPath(provider, resourceId ?? "") : `simulator/components/${encodeURIComponent(id)}`;
    await ask("PATCH", `${path}/tags`, changes);
  }
  return {
    takeOver: async (component) => retag(component, takeOverTags(component, await ownAccount())),
    handBack: (component) => retag(component, handBackTags),
  };
}
