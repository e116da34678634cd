import type { ServerDoor } from "./server-door.ts";
import type { CloudHand, HandedComponent } from "./workplace.ts";

type Tags = Readonly<Record<string, string>>;

/** The tags of a resource that a person takes over: those that aren't the protocol's stay. */
export function takenOver({ "managed-by": _, platform: __, ...others }: Tags): Tags {
  return others;
}

/** The tags of a resource that a person hands back. */
export function handedBack(tags: Tags): Tags {
  return { ...tags, "managed-by": "platform", platform: "reconcile" };
}

/** Where a resource of a simulated cloud is. */
export function simulatedPath(provider: string, resourceId: string): string {
  return `simulator/${provider}/resources/${encodeURIComponent(resourceId)}`;
}

/** Does in simulated clouds what a person does in a real one's console. */
export function handThrough({ ask }: ServerDoor): CloudHand {
  async function retag({ provider, resourceId }: HandedComponent, change: (tags: Tags) => Tags): Promise<void> {
    const path = simulatedPath(provider, resourceId ?? "");
    const { tags } = (await ask("GET", path)) as { tags: Tags };
    await ask("PUT", `${path}/tags`, change(tags));
  }
  return {
    takeOver: (component) => retag(component, takenOver),
    handBack: (component) => retag(component, handedBack),
  };
}
