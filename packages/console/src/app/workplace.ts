import { type Api, LiveplaneError } from "@liveplane/client";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Address } from "./address.ts";
import type { Live } from "./live.ts";
import type { Names } from "./names.ts";
import type { OwnServer, ServerDoor } from "./server-door.ts";

/** A component, as far as a hand-over needs it. */
export interface HandedComponent {
  readonly provider: string;
  readonly type: string;
  readonly resourceId: string | null;
}

/** Changes tags in a simulated cloud, as a person does in a real one's console. */
export interface CloudHand {
  takeOver(component: HandedComponent): Promise<void>;
  handBack(component: HandedComponent): Promise<void>;
}

/** Whether there is anything behind the clouds; in simulated ones the operators' hand. */
export type CloudsHere =
  | { readonly kind: "real" }
  /** `null`: this person may not touch them. */
  | { readonly kind: "simulated"; readonly hand: CloudHand | null };

/** What every page works with. */
export interface Workplace {
  readonly api: Api;
  readonly live: Live;
  readonly names: Names;
  readonly clouds: CloudsHere;
  /** The account that is signed in; `null`: the pages don't know, because another page signs in. */
  readonly ownId: string | null;
  /** `null`: anyone who is here doesn't operate the server, or the pages are in somebody else's. */
  readonly door: ServerDoor | null;
  /** `null`: the pages are within a page of somebody else, which sends requests in its own way. */
  readonly server: OwnServer | null;
  /** `null`: the pages are in somebody else's, whose address isn't theirs. */
  readonly address: Address | null;
  /** The link to a component's page. */
  componentLink(componentId: string): string;
}

const context = createContext<Workplace | null>(null);

/** Gives pages what they work with. */
export const WorkplaceProvider = context.Provider;

/** What the page works with. */
export function useWorkplace(): Workplace {
  const workplace = useContext(context);
  if (workplace === null) throw new LiveplaneError("InternalError", "A page was rendered outside its workplace.");
  return workplace;
}
