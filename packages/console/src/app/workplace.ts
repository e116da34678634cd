import { type Api, LiveplaneError } from "@liveplane/client";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { DeclaredSystem } from "../live-systems/declaration-changes.ts";
import type { Address } from "./address.ts";
import type { Live } from "./live.ts";
import type { Names } from "./names.ts";
import type { OwnServer, ServerDoor } from "./server-door.ts";

/** The parts of a component that a hand-over needs. */
export interface HandedComponent {
  /** `null`: an operator changes a resource of anybody. */
  readonly id: string | null;
  readonly provider: string;
  readonly type: string;
  readonly resourceId: string | null;
}

/** Changes tags in a simulated cloud, as a person does in a real cloud's console. The server decides who may. */
export interface CloudHand {
  takeOver(component: HandedComponent): Promise<void>;
  handBack(component: HandedComponent): Promise<void>;
}

/** Whether the clouds are real; for simulated ones, how to change them. */
export type CloudsHere = { readonly kind: "real" } | { readonly kind: "simulated"; readonly hand: CloudHand };

/** An edited declaration, and the version that it is based on. */
export interface UnsentDeclaration {
  readonly text: string;
  readonly base: DeclaredSystem | null;
}

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
  /** `null`: the pages are embedded in an app that sends its own requests. */
  readonly server: OwnServer | null;
  /** `null`: the pages are embedded, and the address belongs to the app. */
  readonly address: Address | null;
  /** Declarations that were edited and not deployed, by the ID of their live system; empty for a new one. They end with the session. */
  readonly drafts: Map<string, UnsentDeclaration>;
  /** Says what happened, for a moment and to screen readers. */
  tell(text: string): void;
  /** The link to a component's page. */
  componentLink(componentId: string): string;
}

const context = createContext<Workplace | null>(null);

/** Provides pages with what they work with. */
export const WorkplaceProvider = context.Provider;

/** Puts names in place of the IDs in a text; without a workplace, where nobody is signed in, it leaves the text as it is. */
export function useNaming(): (text: string) => string {
  return useContext(context)?.names.in ?? String;
}

/** What the page works with. */
export function useWorkplace(): Workplace {
  const workplace = useContext(context);
  if (workplace === null) throw new LiveplaneError("InternalError", "A page was rendered outside its workplace.");
  return workplace;
}
