import { useContext, useEffect, useMemo } from "preact/hooks";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { shortPath } from "../board/override-lanes.ts";
import { CloudLink } from "../parts/cloud-link.tsx";
import { CopyLine } from "../parts/copy-line.tsx";
import { Named } from "../parts/named.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { texts } from "../texts.ts";
import { Acknowledgement } from "./acknowledgement.tsx";
import { ComponentHistory } from "./component-history.tsx";
import { ConditionList } from "./conditions.tsx";
import { Dependents, NeededComponents } from "./dependents.tsx";
import { DifferenceTable } from "./differences.tsx";
import { HandOverSteps, WithdrawStep } from "./hand-over.tsx";
import { Holding } from "./holding.tsx";
import { type ConsoleComponent, type HandBackPlan, stuckIn } from "./keep-changes.ts";
import { KeepPanel, LeftDraft } from "./keep-panel.tsx";
import { createKeeping, type Keeping } from "./keeping.ts";
import { MayEdit, useMayEdit } from "./may-edit.ts";
import { Outputs } from "./outputs.tsx";
import { Redeploy, RedeployButton } from "./redeploy.tsx";
import { Reverts } from "./reverts.tsx";
import { SettledPlaces } from "./settled-places.tsx";
import { Trouble } from "./trouble.tsx";
import { ValuesTable } from "./values-table.tsx";
import { type AgentWatch, createWatch } from "./watch.ts";

const words = texts.component;
/** How often the page asks for the agent's last check. */
const lookMs = 20_000;

/** The page of the component in the address. */
export function ComponentPage() {
  const { address } = useWorkplace();
  return <ComponentView componentId={(address?.place.value.segments ?? []).join("/")} />;
}

/** A component: who controls it, what differs and why, and how to hand back or keep. */
export function ComponentView({ componentId }: { readonly componentId: string }) {
  const { api, address } = useWorkplace();
  const id = componentId.split("/")[0] ?? "";
  const mayEdit = useMayEdit(id);
  const { loaded, reload } = useLoaded({
    key: componentId,
    async load(signal) {
      const component = await api.liveSystems.components.get({ id, componentId }, { signal });
      const plan = await api.liveSystems.components.adoptionPlan({ id, componentId }, { signal });
      // What doesn't exist has no values that could differ.
      return { component, plan: component.conditions.exists.value === false ? { ...plan, changes: [] } : plan };
    },
    isTouchedBy: ({ type, subject }) => subject === componentId || (subject === id && type.startsWith("livesystem.")),
    // A look that finds nothing new is told by no event.
    againMs: lookMs,
  });
  const watch = useMemo(() => createWatch(api, componentId, () => void reload()), [api, componentId, reload]);
  useEffect(() => watch.stop, [watch]);
  const keeping = useMemo(
    () => createKeeping(api, { livesystemId: id, id: componentId }, reload),
    [api, id, componentId, reload],
  );
  const isJustTaken = address?.place.value.query.watch === "take-over";
  useEffect(() => {
    if (!isJustTaken) return;
    watch.begin("take-over");
    address.filter({ watch: "" });
  }, [isJustTaken, watch, address]);
  const { value, error } = loaded.value;
  const isOverridden = value !== null && value.component.override !== null;
  useEffect(() => {
    if (isOverridden) watch.glance();
  }, [isOverridden, watch]);
  return (
    <>
      <PageHead title={shortPath(componentId)} within={address !== null && <SystemLink id={id} />}>
        {value !== null && <StatusBadge component={value.component} />}
        {value !== null && <span class="small">{value.component.type}</span>}
      </PageHead>
      <FailureNotice error={error} />
      {value === null && error === null && <Waiting />}
      {value !== null && (
        <MayEdit.Provider value={mayEdit}>
          <Facts {...value} watch={watch} keeping={keeping} reload={reload} />
        </MayEdit.Provider>
      )}
    </>
  );
}

/** The link up to its live system. */
function SystemLink({ id }: { readonly id: string }) {
  return (
    <>
      <a href={linkTo("live-systems")}>{texts.titles.liveSystems}</a> /{" "}
      <a href={linkTo("live-systems", [id])}>
        <Named text={id} />
      </a>
    </>
  );
}

interface StepProps {
  readonly component: ConsoleComponent;
  readonly plan: HandBackPlan;
  readonly watch: AgentWatch;
  readonly keeping: Keeping;
  readonly reload: () => Promise<void>;
}

function Facts({ component, plan, watch, keeping, reload }: StepProps) {
  const { livesystemId, id: componentId, resourceId, override } = component;
  const mayEdit = useContext(MayEdit);
  return (
    <div class="component">
      <div class="main">
        {!mayEdit && <p class="notice">{texts.actions.viewOnly}</p>}
        {override !== null && <Holding component={component} onNoted={reload} />}
        {isGone(component) && (!mayEdit || component.health !== "Missing") && <p class="notice">{texts.board.gone}</p>}
        <Trouble component={component} plan={plan} />
        <Acknowledgement component={component} watch={watch} />
        {(override === null || "heldBy" in override) && (
          <DifferencesNow component={component} plan={plan} isOverridden={false} />
        )}
        {override === null && <LeftDraft keeping={keeping} />}
        <NextSteps component={component} plan={plan} watch={watch} keeping={keeping} reload={reload} />
        <SettledPlaces component={component} plan={plan} onDecided={reload} />
        <ValuesTable component={component} plan={plan} />
      </div>
      <aside class="rail" aria-label={words.more}>
        <section aria-labelledby="conditions">
          <h2 id="conditions">{words.known}</h2>
          <ConditionList component={component} />
          {resourceId !== null && <CopyLine line={resourceId} />}
          <div class="buttons">
            {component.conditions.exists.value !== false && <CloudLink component={component} />}
            {mayEdit && component.health !== "Missing" && component.health !== "Uncorrectable" && (
              <RedeployButton livesystemId={livesystemId} onDone={watch.look} />
            )}
          </div>
          <Outputs component={component} />
        </section>
        <NeededComponents component={component} />
        <Dependents plan={plan} isOverridden={override !== null} />
        <ComponentHistory livesystemId={livesystemId} componentId={componentId} since={component.createdAt} />
      </aside>
    </div>
  );
}

/** Whether its resource existed, and was gone when it was last read. */
function isGone({ conditions: { readable, exists } }: ConsoleComponent): boolean {
  return readable.value !== false && exists.reason === "Missing";
}

/** What a person can do now: take over, decide about their override, or have it created again. */
function NextSteps(facts: StepProps) {
  const { component, watch } = facts;
  const mayEdit = useContext(MayEdit);
  if (component.health === "Missing" && !mayEdit) return null;
  if (component.health === "Missing")
    return (
      <Redeploy isOverridden={component.override !== null} livesystemId={component.livesystemId} onDone={watch.look} />
    );
  if (component.override !== null && !("heldBy" in component.override)) return <Overridden {...facts} />;
  // There is nothing to take over until the agent has created it.
  if (component.conditions.exists.value === false) return null;
  return (
    <section aria-labelledby="take-over">
      <h2 id="take-over">{words.takeOver}</h2>
      <p>{words.takeOverHelp}</p>
      <HandOverSteps component={component} what="take-over" label={words.act["take-over"]} watch={watch} />
    </section>
  );
}

interface DifferencesProps extends Pick<StepProps, "component" | "plan"> {
  readonly isOverridden: boolean;
}

/** The differences of a component, whoever controls it. Nothing is shown if nothing differs under the agent. */
function DifferencesNow({ component, plan, isOverridden }: DifferencesProps) {
  if (!isOverridden && plan.changes.length === 0) return null;
  const muted = plan.changes.filter(({ parameter }) => component.muteDrift.includes(parameter)).length;
  return (
    <section aria-labelledby="differences">
      <h2 id="differences">
        {words.differences} {muted > 0 && <span class="count">{words.mutedOf(muted, plan.changes.length)}</span>}
      </h2>
      {plan.possible || plan.changes.length > 0 ? (
        <DifferenceTable component={component} plan={plan} isOverridden={isOverridden} />
      ) : (
        <p class="notice">{words.impossible(plan.reason ?? "")}</p>
      )}
    </section>
  );
}

/** What can happen to an override: back to the declaration, or into it. What can't be put back is kept, so that comes first. */
function Overridden(facts: StepProps) {
  const { component, plan, keeping } = facts;
  const mayEdit = useContext(MayEdit);
  const isStuck = stuckIn(plan).length > 0;
  const kept = mayEdit && (
    <section aria-labelledby="keep" key="keep">
      <h2 id="keep">{words.keepTitle}</h2>
      {plan.keepPatch.length > 0 && <p>{words.keepHelp}</p>}
      <KeepPanel component={component} plan={plan} keeping={keeping} isFirst={isStuck} />
    </section>
  );
  const givenBack = <GiveBack key="give-back" {...facts} isStuck={isStuck} />;
  return (
    <>
      {component.conditions.exists.value !== false && (
        <DifferencesNow component={component} plan={plan} isOverridden={true} />
      )}
      <div class="ways">{isStuck ? [kept, givenBack] : [givenBack, kept]}</div>
    </>
  );
}

function GiveBack({ component, plan, watch, isStuck }: StepProps & { readonly isStuck: boolean }) {
  const isRequested = component.status === "ReconcileRequested";
  const isPlanned = isStuck || isRequested || plan.possible;
  return (
    <section aria-labelledby="give-back">
      <h2 id="give-back">{words.giveBack}</h2>
      {isPlanned && <Reverts component={component} plan={plan} />}
      {/* The differences say it where there are none to show. */}
      {!isPlanned && plan.changes.length > 0 && <p class="notice">{words.impossible(plan.reason ?? "")}</p>}
      {isRequested && <p>{words.bothSet}</p>}
      <HandOverSteps
        component={component}
        what="hand-back"
        label={isRequested ? null : words.act[plan.possible ? "hand-back" : "anyway"]}
        isQuiet={!plan.possible}
        watch={watch}
      />
      {isRequested && <WithdrawStep component={component} watch={watch} />}
    </section>
  );
}
