import type { Access } from "../../access/access.ts";
import type { Tracer } from "../../ports/runtime.ts";
import type { IssuerSignIn } from "../../sessions/issuer-sign-in.ts";
import type { SessionHandles } from "../../sessions/session-handles.ts";
import type { Dispatch } from "../dispatch.ts";
import type { Follow } from "../follow.ts";
import type { SharedCounts } from "../shared-counts.ts";

/** The parts of a control plane that an edge serves. */
export interface ServedPlane {
  /** The entry to every operation. */
  readonly dispatch: Dispatch;
  /** The stream of events. */
  readonly follow: Follow;
  /** Identifies callers. */
  readonly access: Access;
  /** Shares rate-limit counts between processes. @default each process counts separately */
  readonly sharedCounts?: SharedCounts | null;
  /** Issues access tokens to browsers. */
  readonly sessionHandles: SessionHandles;
  /** Sign-in at the host's issuer. @default none */
  readonly signIn?: IssuerSignIn | null;
  /** Where the console is, for the page of a refused sign-in. @default at the edge's own address */
  readonly settings?: { readonly consoleUrl: string };
  /** Traces what isn't dispatched: opening event streams, and browser sign-ins. @default none */
  readonly tracer?: Tracer;
  /** Aborts when the control plane begins to stop, which ends streams. */
  readonly stopping: AbortSignal;
}
