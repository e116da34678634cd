import { useWorkplace } from "../app/workplace.ts";
import { shortPath } from "../board/override-lanes.ts";
import { FailureNotice } from "../parts/notice.tsx";
import { Value } from "../parts/value.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent, HandBackPlan } from "./keep-changes.ts";
import type { ForeseenDeploy, Keeping } from "./keeping.ts";

const words = texts.component;

interface KeepPanelProps {
  readonly component: ConsoleComponent;
  readonly plan: HandBackPlan;
  readonly keeping: Keeping;
  /** Whether it is what to do first. */
  readonly isFirst: boolean;
}

/** Keeps manual changes: the declaration is patched, optionally edited, planned, and deployed. */
export function KeepPanel({ component: { id }, plan, keeping, isFirst }: KeepPanelProps) {
  const { kind } = keeping.state.value;
  const isNothing = plan.keepPatch.length === 0;
  if (kind === "kept" && isNothing) return <p role="status">{words.kept}</p>;
  return (
    <div class="keep">
      <PatchList patch={plan.keepPatch} />
      {(kind === "idle" || kind === "kept") && (
        <button
          type="button"
          class={isFirst && !isNothing ? "" : "quiet"}
          onClick={() => void keeping.begin(plan.keepPatch)}
          disabled={isNothing}
        >
          {words.keep}
        </button>
      )}
      {(kind === "editing" || kind === "planned") && <Draft keeping={keeping} path={shortPath(id)} />}
      {kind === "deploying" && <p role="status">{words.deploying}</p>}
      <FailureNotice error={keeping.failure.value} />
    </div>
  );
}

/** The new declaration, and what deploying it would do. */
function Draft({ keeping, path }: { readonly keeping: Keeping; readonly path: string }) {
  const state = keeping.state.value;
  return (
    <>
      <label>
        {words.declaration(path)}
        <textarea
          rows={Math.min(20, keeping.text.value.split("\n").length + 1)}
          spellcheck={false}
          value={keeping.text.value}
          onInput={({ currentTarget }) => keeping.edit(currentTarget.value)}
        />
      </label>
      {state.kind === "planned" && <PlannedActions plan={state.plan} />}
      <p class="actions">
        <button type="button" onClick={() => void (state.kind === "planned" ? keeping.deploy() : keeping.planIt())}>
          {state.kind === "planned" ? words.deploy : words.planIt}
        </button>
        <button type="button" class="plain" onClick={keeping.leave}>
          {words.leaveIt}
        </button>
      </p>
    </>
  );
}

/** Parameters that a person was editing when somebody else handed the component back. They stay until the person has read it. */
export function LeftDraft({ keeping }: Pick<KeepPanelProps, "keeping">) {
  const { kind } = keeping.state.value;
  if (kind !== "editing" && kind !== "planned") return null;
  return (
    <section class="notice" aria-label={words.keepTitle}>
      <p role="status">{words.handedBackMeanwhile}</p>
      <textarea readOnly rows={6} aria-label={words.notDeployed} value={keeping.text.value} />
      <button type="button" class="quiet" onClick={keeping.leave}>
        {words.close}
      </button>
    </section>
  );
}

/** What the patch would write into the declaration. */
function PatchList({ patch }: { readonly patch: HandBackPlan["keepPatch"] }) {
  const writes = patch.filter(({ op }) => op === "replace");
  if (writes.length === 0) return <p class="small">{words.nothingToKeep}</p>;
  return (
    <ul class="changes">
      {writes.map(({ path, value }) => (
        <li key={path}>
          <code>{path.replace(/^\/components\/\d+\/parameters/, "")}</code> <Value value={value} />
        </li>
      ))}
    </ul>
  );
}

/** What a deploy would do, by component; unchanged ones are left out. */
function PlannedActions({ plan }: { readonly plan: ForeseenDeploy }) {
  const { names } = useWorkplace();
  const actions = plan.components.filter(({ action }) => action !== "none");
  return (
    <div class="planned" role="status">
      <p>{actions.length === 0 ? words.planNothing : words.planDoes}</p>
      <ul class="changes">
        {actions.map(({ componentId, action, changes }) => (
          <li key={componentId}>
            {words.actions[action]} <strong>{shortPath(componentId)}</strong>
            {changes.map(({ pointer }) => (
              <code key={pointer}> {pointer}</code>
            ))}
          </li>
        ))}
      </ul>
      {plan.error !== null && (
        <p class="late">{words.planFails(shortPath(plan.error.componentId ?? ""), names.in(plan.error.detail))}</p>
      )}
      {plan.warnings.map(({ detail }) => (
        <p class="late" key={detail}>
          {names.in(detail)}
        </p>
      ))}
    </div>
  );
}
