import type { Api } from "@liveplane/client";
import { useEffect, useRef } from "preact/hooks";
import { useWorkplace } from "../app/workplace.ts";
import { shortPath } from "../board/override-lanes.ts";
import { isReplaced } from "../component/deployed.ts";
import type { ConsoleComponent } from "../component/keep-changes.ts";
import { Instant } from "../parts/instant.tsx";
import { Remedy } from "../parts/remedy.tsx";
import { type StateTone, StateWord } from "../parts/state-word.tsx";
import { healthWords } from "../parts/status-badge.tsx";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import { texts } from "../texts.ts";

/** A deploy or a delete, as the service shows it. */
export type SystemMutation = Awaited<ReturnType<Api["liveSystems"]["mutations"]["get"]>>;

const words = liveSystemTexts.mutation;
export const mutationTones: Readonly<Record<SystemMutation["status"], StateTone>> = {
  Pending: "calm",
  Running: "busy",
  Succeeded: "good",
  Failed: "bad",
};
const stepTones: Readonly<Record<SystemMutation["steps"][number]["state"], StateTone>> = {
  pending: "calm",
  begun: "busy",
  converged: "good",
  held: "hand",
  failed: "bad",
  blocked: "calm",
};
const over: readonly string[] = ["converged", "held"];

/** What became of a deploy or a deletion. */
export function MutationState({ mutation, madeUp = null }: Pick<MutationViewProps, "mutation" | "madeUp">) {
  const { kind, status } = mutation;
  if (isReplaced(mutation)) return <StateWord tone="calm">{words.replaced}</StateWord>;
  return <StateWord tone={madeUp !== null ? "calm" : mutationTones[status]}>{words.heads[kind][status]}</StateWord>;
}

/** Whether a step hasn't done its work. */
export const isUnfinished = ({ state }: Pick<Step, "state">) => !over.includes(state);

/** `declared`: it is as declared. `takenOver`: a person has taken some of it over. */
export type MadeUp = keyof typeof words.madeUp;

interface MutationViewProps {
  readonly mutation: SystemMutation;
  /** The components of the live system: each becomes a step. */
  readonly components: readonly Pick<ConsoleComponent, "id" | "livesystemId" | "dependsOn" | "health">[];
  /** What has become of what it failed at, if that needs nobody any more. @default null */
  readonly madeUp?: MadeUp | null;
  /** Whether somebody has just begun it on this page, and wants to see it. @default false */
  readonly isSought?: boolean;
}

/** The progress of a deploy or a delete, step by step, and its result. */
export function MutationView({ mutation, components, madeUp = null, isSought = false }: MutationViewProps) {
  const head = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (isSought) head.current?.focus();
  }, [isSought]);
  const { kind, status, error, createdAt, completedAt, released, held } = mutation;
  const steps = completedAt === null ? withLater(mutation, components) : mutation.steps;
  const done = steps.filter((step) => !isUnfinished(step)).length;
  const isOver = completedAt !== null;
  const failure = isReplaced(mutation) ? null : error;
  const isCalm = madeUp !== null || isReplaced(mutation);
  return (
    <div class={isCalm ? "mutation" : `mutation ${status.toLowerCase()}`}>
      <p role="status" class="line" tabIndex={-1} ref={head}>
        <MutationState mutation={mutation} madeUp={madeUp} />
        <span class="small">
          <Instant at={completedAt ?? createdAt} />
          {!isOver && ` · ${words.progress(done, steps.length)}`}
        </span>
      </p>
      {!isOver && (
        <progress value={done} max={Math.max(1, steps.length)} aria-label={words.progress(done, steps.length)} />
      )}
      {failure !== null && (madeUp === null ? <MutationFailure error={failure} /> : <p>{words.madeUp[madeUp]}</p>)}
      {released.length > 0 && <p>{words.released(released.map(shortPath).join(", "))}</p>}
      {held.length > 0 && <p>{words[isOver ? "wasHeld" : "held"](held.map(shortPath).join(", "))}</p>}
      {steps.length > 0 && (
        <details open={!isOver || (error !== null && !isCalm)}>
          <summary>{words.steps(steps.length)}</summary>
          <ol class="steps">
            {steps.map((step) => (
              <MutationStep
                key={step.componentId}
                step={step}
                isSaid={step.componentId === error?.componentId}
                needs={kind === "Deploy" ? neededBy(step, { steps, components }) : heldUp(step)}
              />
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

type Step = SystemMutation["steps"][number];

/** The steps of a running mutation, with those that wait for others: the service lists a step once it has begun. */
function withLater({ steps }: SystemMutation, components: MutationViewProps["components"]): readonly Step[] {
  const begun = new Set(steps.map(({ componentId }) => componentId.toLowerCase()));
  const later = components
    .filter(({ id }) => !begun.has(id.toLowerCase()))
    .map(({ id }): Step => ({ componentId: id, state: "pending", waiting: null, error: null }));
  return [...steps, ...later];
}

/** What a step waits for, or wasn't started without. The agent may have finished that since, or the step's own work. */
function neededBy(
  { componentId, state }: Step,
  { steps, components }: Pick<MutationViewProps, "components"> & { readonly steps: readonly Step[] },
): string {
  const own = components.find(({ id }) => id === componentId);
  if (own === undefined || (state !== "pending" && state !== "blocked")) return "";
  if (state === "blocked" && own.health === "InSync") return words.doneSince;
  const ended = new Set(steps.filter((one) => !isUnfinished(one)).map((one) => one.componentId.toLowerCase()));
  if (state === "blocked")
    for (const { id, health } of components) if (health === "InSync") ended.add(id.toLowerCase());
  const lacking = own.dependsOn.filter((path) => !ended.has(`${own.livesystemId}/${path}`.toLowerCase()));
  if (lacking.length > 0) return liveSystemTexts.liveSystems.needs(lacking.join(", "));
  if (state === "pending") return "";
  return goingOn.has(own.health) ? words.nextSince(own.dependsOn.join(", ")) : healthWords(own);
}

/** Where the agent has work left that it can do. */
const goingOn: ReadonlySet<ConsoleComponent["health"]> = new Set(["Blocked", "NotProvisioned", "Differs", "Working"]);

const heldUp = ({ state }: Step) => (state === "blocked" ? words.deletedFirst : "");

interface MutationFailureProps {
  readonly error: NonNullable<SystemMutation["error"]>;
  /** By now something else may be so: what to do isn't said. @default false */
  readonly isPast?: boolean;
}

/** What went wrong and where, in the cloud's own words, and what to do. */
export function MutationFailure({ error, isPast = false }: MutationFailureProps) {
  const { componentLink } = useWorkplace();
  const { componentId, code, detail } = error;
  return (
    <div class="notice failed">
      <p>
        {componentId !== null && (
          <>
            {words.at} <a href={componentLink(componentId)}>{shortPath(componentId)}</a>:{" "}
          </>
        )}
        {detail} <code>{code}</code>
      </p>
      <CloudWords said={error} />
      {!isPast && <Remedy code={code} />}
    </div>
  );
}

interface SaidByCloud {
  readonly providerCode?: string;
  readonly providerMessage?: string;
  readonly providerRequestId?: string;
}

function CloudWords({ said: { providerCode, providerMessage, providerRequestId } }: { readonly said: SaidByCloud }) {
  if (providerCode === undefined && providerMessage === undefined) return null;
  return (
    <blockquote>
      {words.cloudSays} <code>{providerCode}</code> {providerMessage}
      {providerRequestId !== undefined && <span class="small"> {texts.failure.request(providerRequestId)}</span>}
    </blockquote>
  );
}

interface MutationStepProps {
  readonly step: Step;
  /** Whether its failure is shown as that of the whole. */
  readonly isSaid: boolean;
  readonly needs: string;
}

function MutationStep({ step, isSaid, needs }: MutationStepProps) {
  const { componentLink } = useWorkplace();
  const { componentId, state, waiting } = step;
  const error = isSaid ? null : step.error;
  return (
    <li class={state}>
      <span class="line">
        <a href={componentLink(componentId)}>{shortPath(componentId)}</a>
        <StateWord tone={stepTones[state]}>{words.states[state]}</StateWord>
      </span>
      {needs !== "" && <p class="small">{needs}</p>}
      {waiting !== null && (
        <p class="small">
          {words.waiting[waiting.why]} {waiting.detail} {texts.times.began} <Instant at={waiting.since} />.
        </p>
      )}
      {error !== null && (
        <p>
          {error.detail} <code>{error.code}</code>
        </p>
      )}
      {error !== null && <CloudWords said={error} />}
    </li>
  );
}
