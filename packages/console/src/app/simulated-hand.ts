import { handedBackTags, takenOverTags } from "@liveplane/client/tag-lines";
import type { ServerDoor } from "./server-door.ts";
import type { CloudHand, HandedComponent } from "./workplace.ts";

type Tags = Readonly<Record<string, string>>;

/** Where a resource of a simulated cloud is. */
export function simulatedPath(provider: string, resourceId: string): string {
  return `simulator/${provider}/resources/${encodeURIComponent(resourceId)}`;
}

/** Does in simulated clouds what a person does in a real one's console, and leaves their name on what they take over. */
export function handThrough({ ask }: ServerDoor, ownName: () => Promise<string>): CloudHand {
  async function retag({ provider, resourceId }: HandedComponent, change: (tags: Tags) => Tags): Promise<void> {
    const path = simulatedPath(provider, resourceId ?? "");
    const { tags } = (await ask("GET", path)) as { tags: Tags };
    await ask("PUT", `${path}/tags`, change(tags));
  }
  return {
    async takeOver(component) {
      const name = await ownName();
      await retag(component, (tags) => takenOverTags(component, tags, name));
    },
    handBack: (component) => retag(component, handedBackTags),
  };
}
