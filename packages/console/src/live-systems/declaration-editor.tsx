import { type Api, isLiveplaneError } from "@liveplane/client";
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useWorkplace } from "../app/workplace.ts";
import { fullNameOf } from "../board/override-lanes.ts";
import { useAction } from "../parts/action.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import { CompletingArea } from "./completing-area.tsx";
import { changesBetween, type DeclaredSystem, declaresSame, type SystemDeclaration } from "./declaration-changes.ts";
import { DeclarationHelp } from "./declaration-help.tsx";
import { lineOfPlace, placeInText } from "./declaration-places.ts";
import type { SystemMutation } from "./mutation-view.tsx";
import { PlanView, type SystemPlan } from "./plan-view.tsx";
import { typedDeclaration } from "./typed-declaration.ts";

const words = liveSystemTexts.declaration;

interface EditorProps {
  /** `null` for a new one. */
  readonly system: DeclaredSystem | null;
  /** The initial text. */
  readonly initial: SystemDeclaration;
  /** The environments to choose from, for a new one. */
  readonly environments?: readonly SystemDeclaration["environmentId"][];
  readonly onBegun: (mutation: SystemMutation) => void;
}

/** The declaration as JSON, or typed as YAML: planned first, then deployed. Errors are shown at their places. */
export function DeclarationEditor({ system, initial, environments = [], onBegun }: EditorProps) {
  const { api, drafts, live } = useWorkplace();
  const { isBusy, failure, run } = useAction();
  const name = system?.id ?? "";
  const draft = useSignal(drafts.get(name));
  const text = useSignal(draft.value?.text ?? textOf(initial));
  const read = useTyped(text);
  const base = useSignal(draft.value?.base ?? system);
  const plan = useSignal<SystemPlan | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const standing = standingOf(text.value, { base: base.value, system });

  async function begin(): Promise<void> {
    const definition = await read();
    const mutation = await beginUpon(api, base.value, definition).finally(live.reread);
    drafts.delete(name);
    draft.value = undefined;
    plan.value = null;
    base.value = base.value && { ...base.value, definition };
    onBegun(mutation);
  }
  const change = (next: string) => {
    text.value = next;
    plan.value = null;
    if (next === textOf(base.value?.definition ?? initial)) drafts.delete(name);
    else drafts.set(name, { text: next, base: base.value });
  };
  /** What was planned and refused was about the declaration before. */
  const chooseBase = () => {
    base.value = system;
    plan.value = null;
    failure.value = null;
  };
  const discard = () => {
    chooseBase();
    draft.value = undefined;
    change(textOf(system?.definition ?? initial));
  };
  useWhen(standing === "untouched", discard);
  const planIt = async () => {
    plan.value = await planOf(api, base.value, await read());
  };
  return (
    <form class="editor" aria-busy={isBusy.value} onSubmit={(event) => event.preventDefault()}>
      {standing === "elsewhere" && base.value !== null && system !== null && (
        <Elsewhere before={base.value.definition} now={system} onTake={discard} onKeep={chooseBase} />
      )}
      {draft.value !== undefined && standing !== "elsewhere" && <KeptDraft onDiscard={discard} />}
      {environments.length > 1 && (
        <EnvironmentChoice
          environments={environments}
          initial={initial.environmentId}
          onChoose={(environmentId) => void run(async () => change(textOf({ ...(await read()), environmentId })))}
        />
      )}
      <CompletingArea text={text.value} area={area} onChange={change} />
      <DeclarationHelp />
      {standing !== "elsewhere" && <Refusal error={failure.value} text={text.value} area={area} />}
      <PlanFirst
        isElsewhere={standing === "elsewhere"}
        isNew={base.value === null}
        plan={isLiveplaneError(failure.value, "PreconditionFailed") ? null : plan.value}
        isBusy={isBusy.value}
        onPlan={() => void run(planIt)}
        onBegin={() => void run(begin)}
      />
    </form>
  );
}

/** Says that the text is what the person typed before they left the page. */
function KeptDraft({ onDiscard }: { readonly onDiscard: () => void }) {
  return (
    <div class="notice">
      <p>{words.draft}</p>
      <div class="buttons">
        <button type="button" class="quiet" onClick={onDiscard}>
          {words.discard}
        </button>
      </div>
    </div>
  );
}

/** Reads what was typed. The text becomes the JSON that is sent, so that errors have places in it. */
function useTyped(text: Signal<string>): () => Promise<SystemDeclaration> {
  const { api, tell } = useWorkplace();
  return async () => {
    const { definition, isChanged } = await typedDeclaration(text.value, api);
    if (isChanged) {
      text.value = textOf(definition);
      tell(words.nowSent);
    }
    return definition;
  };
}

type Place = SystemDeclaration["environmentId"];

interface ChoiceProps {
  readonly environments: readonly Place[];
  readonly initial: Place;
  readonly onChoose: (environment: Place) => void;
}

/** Writes the chosen environment into the declaration, which names its owner by an ID. */
function EnvironmentChoice({ environments, initial, onChoose }: ChoiceProps) {
  const { names } = useWorkplace();
  return (
    <label>
      {words.environment}
      <select
        onChange={({ currentTarget }) => {
          const chosen = environments[currentTarget.selectedIndex];
          if (chosen !== undefined) onChoose(chosen);
        }}
      >
        {environments.map((place) => (
          <option key={fullNameOf(place)} selected={fullNameOf(place) === fullNameOf(initial)}>
            {place.shortName} ({names.in(place.ownerId)})
          </option>
        ))}
      </select>
    </label>
  );
}

interface PlanFirstProps {
  /** Another declaration has come into force: the person chooses first which one to go on from. */
  readonly isElsewhere: boolean;
  readonly isNew: boolean;
  readonly plan: SystemPlan | null;
  readonly isBusy: boolean;
  readonly onPlan: () => void;
  readonly onBegin: () => void;
}

/** A plan of this exact text comes before the deploy; a new system may be deployed without one. */
function PlanFirst({ isElsewhere, isNew, plan, isBusy, onPlan, onBegin }: PlanFirstProps) {
  if (isElsewhere)
    return (
      <p class="notice" role="status">
        {words.chooseFirst}
      </p>
    );
  return (
    <>
      {plan !== null && <PlanView plan={plan} />}
      <div class="buttons">
        <button type="button" class={plan !== null || isNew ? "quiet" : ""} aria-disabled={isBusy} onClick={onPlan}>
          {words.plan}
        </button>
        {(isNew || plan !== null) && (
          <button type="button" aria-disabled={isBusy} onClick={onBegin}>
            {isNew ? words.create : words.deploy}
          </button>
        )}
        {plan === null && <p class="small">{isNew ? words.planNew : words.planFirst}</p>}
      </div>
    </>
  );
}

function planOf(
  { liveSystems }: Api,
  known: DeclaredSystem | null,
  definition: SystemDeclaration,
): Promise<SystemPlan> {
  return known === null ? liveSystems.plan(definition) : liveSystems.planDeploy({ id: known.id }, definition);
}

/** Creates a live system, or deploys over the edited version: a newer version with the same declaration is no obstacle. */
async function beginUpon(
  api: Api,
  known: DeclaredSystem | null,
  definition: SystemDeclaration,
): Promise<SystemMutation> {
  if (known === null) return api.liveSystems.create(definition);
  try {
    return await api.liveSystems.deploy({ id: known.id }, definition, { ifMatch: known.version });
  } catch (error) {
    if (!isLiveplaneError(error, "PreconditionFailed")) throw error;
    const now = await api.liveSystems.get({ id: known.id });
    if (!declaresSame(now.definition, known.definition)) throw error;
    return api.liveSystems.deploy({ id: known.id }, definition, { ifMatch: now.version });
  }
}

/** Whether another declaration has come into force since, and if so, whether the person has typed anything that it would replace. */
function standingOf(
  text: string,
  { base, system }: { readonly base: DeclaredSystem | null; readonly system: DeclaredSystem | null },
): "current" | "untouched" | "elsewhere" {
  if (base === null || system === null || base.version === system.version) return "current";
  if (declaresSame(system.definition, base.definition)) return "current";
  return text === textOf(base.definition) ? "untouched" : "elsewhere";
}

function useWhen(isSo: boolean, act: () => void): void {
  useEffect(() => {
    if (isSo) act();
  });
}

interface ElsewhereProps {
  readonly before: SystemDeclaration;
  readonly now: DeclaredSystem;
  readonly onTake: () => void;
  readonly onKeep: () => void;
}

/** Somebody else has deployed meanwhile: shows what changed, and what to do with the person's own text. */
function Elsewhere({ before, now, onTake, onKeep }: ElsewhereProps) {
  const { added, removed, changed, others } = changesBetween(before, now.definition);
  const said = [
    [words.added, added],
    [words.removed, removed],
    [words.changed, [...changed, ...others]],
  ] as const;
  return (
    <div class="notice" role="alert">
      <p>{words.elsewhere}</p>
      <ul>
        {said
          .filter(([, names]) => names.length > 0)
          .map(([head, names]) => (
            <li key={head}>
              {head} <code>{names.join(", ")}</code>
            </li>
          ))}
      </ul>
      <div class="buttons">
        <button type="button" class="quiet" onClick={onTake}>
          {words.take}
        </button>
        <button type="button" class="quiet" onClick={onKeep}>
          {words.keep}
        </button>
      </div>
    </div>
  );
}

interface RefusalProps {
  readonly error: unknown;
  readonly text: string;
  readonly area: { readonly current: HTMLTextAreaElement | null };
}

/** The errors in the text, each with a link to its place. */
function Refusal({ error, text, area }: RefusalProps) {
  if (isLiveplaneError(error, "PreconditionFailed"))
    return (
      <p class="notice failed" role="alert">
        {words.refusedElsewhere}
      </p>
    );
  const places = isLiveplaneError(error) ? (error.details.errors ?? []) : [];
  if (places.length === 0) return <FailureNotice error={error} />;
  return (
    <div class="notice failed" role="alert">
      <p>{words.refused(places.length)}</p>
      <ul>
        {places.map(({ pointer = "#", detail }, at) => {
          const place = placeInText(text, pointer);
          return (
            <li key={at}>
              {place !== null && (
                <button
                  type="button"
                  class="plain"
                  onClick={() => {
                    area.current?.focus();
                    area.current?.setSelectionRange(place.start, place.end);
                  }}
                >
                  {words.line(lineOfPlace(text, place))}
                </button>
              )}{" "}
              <code>{pointer}</code> {detail}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const textOf = (definition: SystemDeclaration) => JSON.stringify(definition, null, 2);
