import type { Handlers } from "../../contract/handler.ts";
import { invalid } from "../../contract/invalid.ts";
import { checkPreconditions } from "../../contract/preconditions.ts";
import { nowText } from "../../encoding.ts";
import { isLiveplaneError, LiveplaneError, type Violation } from "../../errors.ts";
import { fragmentOf, sameJson, valueAt } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import type { Claims } from "../../records/claim.ts";
import type { Change, Stored } from "../../records/records.ts";
import type { Agent } from "../agent/agent.ts";
import { type Expectation, type ExpectationsDeps, keyedHash, openExpectations } from "../agent/expectations.ts";
import { isOutdated } from "../declarations/declaration.ts";
import { heededOf } from "../declarations/ignored.ts";
import type { Difference } from "../protocol/drift.ts";
import { redacted } from "../protocol/redaction.ts";
import type { SettledForms, Witness } from "../protocol/settled.ts";
import { aboutLiveSystem, type ComponentRecord, components, idOf } from "../records/component-record.ts";
import { isInForce, type LiveSystemRecord, requireWritable } from "../records/live-system-record.ts";
import { type ComponentParams, foundComponent, keyOf, shownComponent } from "./components.ts";
import type { ShownBy } from "./live-systems.ts";

/** What accepting and forgetting need. */
export interface SettledPlacesDeps extends ExpectationsDeps, Pick<ShownBy, "sweeps"> {
  readonly claims: Pick<Claims, "hold">;
  readonly agent: Pick<Agent, "check">;
}

type SettledHandlers = Pick<
  Handlers<"liveSystems.components">,
  "liveSystems.components.acceptSettled" | "liveSystems.components.forgetSettled"
>;

/** Creates the handlers by which a person says what a cloud's value means, where the agent's own evidence can't. */
export function createSettledPlaces(deps: SettledPlacesDeps): SettledHandlers {
  const { records } = deps;

  /** Checks the component at once. What was stored counts even if the check fails; the next sweep repeats it. */
  const checked = async (params: ComponentParams, stored: Stored<ComponentRecord>) => {
    const check = await deps.agent.check(keyOf(params)).catch((error: unknown) => {
      if (isLiveplaneError(error)) return null;
      throw error;
    });
    return { value: await shownComponent(deps, check?.record ?? stored) };
  };

  return {
    "liveSystems.components.acceptSettled": async ({ params, body, preconditions, cause }) => {
      const { record: read } = await foundComponent(records, params);
      const expectation = await openExpectations(deps).of(read);
      requireAcceptable(read, expectation, body.fingerprint);
      const accepted = await witnessesOf(read, expectation, { pointers: body.pointers, deps });
      const stored = await records.change(cause, async (change) => {
        const { system, record } = await foundComponent(change, params);
        checkPreconditions(preconditions, record);
        await requireIdle(change, { system, record }, deps);
        requireAcceptable(record, expectation, body.fingerprint);
        if (!isInForce(system, expectation.inForce.system)) throw moved();
        const settled = { ...record.settled, ...accepted };
        const { unconfirmed = [], ...others } = record;
        // What was accepted wasn't brought about by a correction.
        const open = unconfirmed.filter((pointer) => !body.pointers.includes(pointer));
        const rest = open.length === 0 ? others : { ...others, unconfirmed: open };
        tell(change, record, { type: "component.settled", pointers: body.pointers });
        // The writes made so far still count: other places have already been tried as often as allowed.
        return change.put(components, { ...rest, settled, updatedAt: nowText(deps), updatedBy: cause.actor });
      });
      return checked(params, stored);
    },

    "liveSystems.components.forgetSettled": async ({ params, query: { pointers }, preconditions, cause }) => {
      const stored = await records.change(cause, async (change) => {
        const { system, record } = await foundComponent(change, params);
        checkPreconditions(preconditions, record);
        await requireIdle(change, { system, record }, deps);
        if (pointers.length === 0 || !pointers.every((pointer) => Object.hasOwn(record.settled, pointer)))
          throw refused([
            { parameter: "pointers", code: "Unknown", detail: "Nothing is settled at one of these places." },
          ]);
        const settled = Object.fromEntries(
          Object.entries(record.settled).filter(([place]) => !pointers.includes(place)),
        );
        tell(change, record, { type: "component.settled_forgotten", pointers });
        const updated = { updatedAt: nowText(deps), updatedBy: cause.actor };
        // The agent may write again, because the caller asks it to keep trying.
        return change.put(components, { ...record, settled, tried: null, ...updated });
      });
      return checked(params, stored);
    },
  };
}

function tell(
  change: Change,
  record: ComponentRecord,
  { type, pointers }: { type: "component.settled" | "component.settled_forgotten"; pointers: readonly string[] },
): void {
  const { status } = record;
  change.emit({
    type,
    subject: idOf(record),
    about: aboutLiveSystem(record),
    data: { from: status, status, pointers },
  });
}

/** The result of a running write would be lost if the component changed now. */
async function requireIdle(
  change: Change,
  { system, record }: { readonly system: LiveSystemRecord; readonly record: ComponentRecord },
  { claims }: Pick<SettledPlacesDeps, "claims">,
): Promise<void> {
  await requireWritable(change, system);
  if (claims.hold(record.work))
    throw new LiveplaneError("Conflict", "The agent is writing to this component. Try again.");
}

function requireAcceptable(record: ComponentRecord, { declared }: Expectation, fingerprint: string): void {
  const { observed, status, conditions } = record;
  if (observed.fingerprint !== fingerprint || isOutdated(observed, declared)) throw moved();
  if (status === "ManualOverride")
    throw new LiveplaneError(
      "InvalidState",
      "A person has taken over the component. Hand it back, or change the declaration.",
    );
  if (conditions.exists.value !== true)
    throw new LiveplaneError("InvalidState", "The component's resource is not there.");
}

function moved(): LiveplaneError {
  return new LiveplaneError("Conflict", "The differences have changed since they were read. Read the component again.");
}

/** Witnesses of what these places showed at the last read. Throws with every place that has none. */
async function witnessesOf(
  { type, observed }: ComponentRecord,
  { expected }: Expectation,
  { pointers, deps }: { readonly pointers: readonly string[]; readonly deps: SettledPlacesDeps },
): Promise<SettledForms> {
  const heeded = heededOf(expected.parameters, expected.ignored);
  const changes = new Map(observed.changes.map((change) => [change.pointer, change]));
  const errors: Violation[] = [];
  const settled: Record<string, Witness> = {};
  for (const [at, pointer] of pointers.entries()) {
    const change = changes.get(pointer);
    const value = valueAt(heeded, pointer);
    const wrong = whyNot(change, value, expected.tagParameter);
    if (wrong !== null) errors.push({ pointer: fragmentOf(["pointers", at]), ...wrong });
    if (change === undefined || value === undefined) continue;
    const digest = await keyedHash(value, deps);
    settled[pointer] = { digest, form: change.actual, type, by: "person", at: nowText(deps) };
  }
  if (errors.length > 0) throw refused(errors);
  return settled;
}

/** Why a shown value can't be accepted. Nobody can judge a hidden one; that nothing is shown, everybody can see. */
function whyNot(
  change: Difference | undefined,
  value: Json | undefined,
  tagParameter: string,
): Pick<Violation, "code" | "detail"> | null {
  if (change === undefined) return { code: "Unknown", detail: "Nothing declared differs at this place." };
  if (change.parameter === tagParameter) return { code: "Format", detail: "A tag can't be accepted." };
  const isNothing = value !== undefined && change.actual === null;
  const isShown = value !== undefined && sameJson(change.declared, value);
  const isSecret = !isShown || JSON.stringify(change.actual).includes(redacted);
  return isSecret && !isNothing ? { code: "Format", detail: "A secret can't be accepted." } : null;
}

function refused(errors: readonly Violation[]): LiveplaneError {
  const [first, ...others] = errors;
  return first === undefined ? new LiveplaneError("ValidationFailed") : invalid([first, ...others]);
}
