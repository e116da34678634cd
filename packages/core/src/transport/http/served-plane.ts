import type { Access } from "../../access/access.ts";
import type { Tracer } from "../../ports/runtime.ts";
import type { IssuerSignIn } from "../../sessions/issuer-sign-in.ts";
import type { SessionHandles } from "../../sessions/session-handles.ts";
import type { Dispatch } from "../dispatch.ts";
import type { Follow } from "../follow.ts";
import type { SharedCounts } from "../shared-counts.ts";

/** The parts of a control plane that an edge serves. */
export interface ServedPlane {
  /** The one way into every operation. */
  readonly dispatch: Dispatch;
  /** The stream of events. */
  readonly follow: Follow;
  /** Identifies callers. */
  readonly access: Access;
  /** Shares the counts of rate limits between processes. @default each process counts by itself */
  readonly sharedCounts?: SharedCounts | null;
  /** Gives browsers their access tokens. */
  readonly sessionHandles: SessionHandles;
  /** The sign-in at the host's issuer. @default none */
  readonly signIn?: IssuerSignIn | null;
  /** Traces what isn't dispatched: the opening of event streams, and browsers that sign in. @default none */
  readonly tracer?: Tracer;
  /** Fires when the control plane begins to stop: long answers end. */
  readonly stopping: AbortSignal;
}
