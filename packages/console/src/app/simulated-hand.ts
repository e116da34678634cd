import type { ServerDoor } from "./server-door.ts";
import type { CloudHand, HandedComponent } from "./workplace.ts";

type Tags = Readonly<Record<string, string>>;

/** The tags after a person has taken over a resource; other tags stay. */
export function takenOver({ "managed-by": _, platform: __, ...others }: Tags): Tags {
  return others;
}

/** The tags after a person has handed back a resource. */
export function handedBack(tags: Tags): Tags {
  return { ...tags, "managed-by": "platform", platform: "reconcile" };
}

/** The path of a resource in a simulated cloud. */
export function simulatedPath(provider: string, resourceId: string): string {
  return `simulator/${provider}/resources/${encodeURIComponent(resourceId)}`;
}

/** Does in simulated clouds what a person does in a real cloud's console. */
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
