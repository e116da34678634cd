import { type Api, isLiveplaneError, type LiveplaneEvent } from "@liveplane/client";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useMay } from "../app/own-rights.ts";
import { useWorkplace } from "../app/workplace.ts";
import { fullNameOf } from "../board/override-lanes.ts";
import { isReplaced } from "../component/deployed.ts";
import type { ConsoleComponent } from "../component/keep-changes.ts";
import { Redeploy } from "../component/redeploy.tsx";
import { Instant } from "../parts/instant.tsx";
import { Listing } from "../parts/listing.tsx";
import { Named } from "../parts/named.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Person } from "../parts/person.tsx";
import { UnreadPage } from "../parts/unread-page.tsx";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import { texts } from "../texts.ts";
import { ComponentGraph } from "./component-graph.tsx";
import type { SystemDeclaration } from "./declaration-changes.ts";
import { DeclarationEditor } from "./declaration-editor.tsx";
import { DeletionButton } from "./deletion-button.tsx";
import {
  isUnfinished,
  type MadeUp,
  MutationFailure,
  MutationState,
  MutationView,
  type SystemMutation,
} from "./mutation-view.tsx";

const words = liveSystemTexts.liveSystems;
/** How often a running mutation is polled, because not every wait of its steps is an event. */
const lookMs = 2000;

/** One live system: its components, its running mutation, and its declaration. */
export function LiveSystemPage({ id }: { readonly id: string }) {
  const { api } = useWorkplace();
  const isTouchedBy = ({ subject }: LiveplaneEvent) => subject === id || subject.startsWith(`${id}/`);
  const { loaded, reload } = useLoaded({ key: id, load: (signal) => readOrDeleted(api, id, signal), isTouchedBy });
  const { value, error } = loaded.value;
  const seen = useRef<SystemRead["system"] | null>(null);
  if (value !== null && "system" in value) seen.current = value.system;
  const isUnderWay = value?.mutation?.completedAt === null;
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(reload, lookMs);
    return () => clearInterval(timer);
  }, [isUnderWay, reload]);
  if (value === null) return <UnreadPage title={texts.titles.liveSystems} error={error} />;
  if (!("system" in value)) {
    const name = seen.current?.id === id ? seen.current.name : texts.titles.liveSystems;
    return <DeletedSystem id={id} name={name} mutation={value.mutation} />;
  }
  return (
    <>
      <SystemHead system={value.system} />
      <FailureNotice error={error} />
      <SystemView read={value} reload={reload} />
    </>
  );
}

type SystemRead = Awaited<ReturnType<typeof readSystem>>;

function SystemHead({ system: { name, description, status, environmentId } }: Pick<SystemRead, "system">) {
  return (
    <>
      <PageHead
        title={name}
        within={
          <>
            <a href={linkTo("live-systems")}>{texts.titles.liveSystems}</a> /{" "}
            <a href={linkTo("environments", fullNameOf(environmentId).split("/"))}>
              <Named text={fullNameOf(environmentId)} />
            </a>
          </>
        }
      >
        {status !== "Active" && <p class="late">{words.statuses[status]}</p>}
      </PageHead>
      {description !== null && <p class="small">{description}</p>}
    </>
  );
}

interface DeletedSystemProps {
  readonly id: string;
  readonly name: string;
  readonly mutation: SystemMutation;
}

/** What remains of a deleted live system: what the deletion did, and the history. */
function DeletedSystem({ id, name, mutation }: DeletedSystemProps) {
  return (
    <>
      <PageHead title={name} within={<a href={linkTo("live-systems")}>{texts.titles.liveSystems}</a>} />
      <p>
        {words.deleted} <a href={linkTo("live-systems")}>{words.toAll}</a>
      </p>
      <MutationView mutation={mutation} components={[]} />
      <section class="sheet" aria-labelledby="history">
        <h2 id="history">{words.history}</h2>
        <SystemHistory id={id} />
      </section>
    </>
  );
}

interface SystemViewProps {
  readonly read: SystemRead;
  readonly reload: () => Promise<void>;
}

function SystemView({ read: { system, components, mutation }, reload }: SystemViewProps) {
  const { id, definition, version, resourceGroupId } = system;
  const may = useMay({ ...system.environmentId, groups: resourceGroupId === null ? [] : [resourceGroupId.shortName] });
  const missing = components.filter(({ health }) => health === "Missing");
  const begun = useSignal<string | null>(null);
  const isDoomed = missing.some(({ id }) => isStopped(mutation, id));
  return (
    <>
      <ComponentGraph components={components} />
      {may("Edit") && mutation?.completedAt !== null && missing.length > 0 && !isDoomed && (
        <Redeploy isOverridden={missing.some(({ override }) => override !== null)} livesystemId={id} onDone={reload} />
      )}
      {mutation !== null && (
        <MutationView
          mutation={mutation}
          components={components}
          madeUp={madeUpOf(mutation, components)}
          isSought={mutation.id === begun.value}
        />
      )}
      <div class="halves">
        <section class="sheet" aria-labelledby="declaration">
          <h2 id="declaration">{liveSystemTexts.declaration.title}</h2>
          {may("Edit") ? (
            <DeclarationEditor
              system={{ id, version, definition }}
              initial={definition}
              onBegun={({ id: mutationId }) => {
                begun.value = mutationId;
                void reload();
              }}
            />
          ) : (
            <DeclarationShown definition={definition} />
          )}
        </section>
        <section class="sheet" aria-labelledby="history">
          <h2 id="history">{words.history}</h2>
          <SystemHistory id={id} />
        </section>
      </div>
      {may("Terminate") && <DeletionButton system={system} components={components} reload={reload} />}
    </>
  );
}

/** What has become of what a deploy failed at, or else of everything, if the agent has no work left there. */
function madeUpOf({ kind, status, steps }: SystemMutation, components: readonly ConsoleComponent[]): MadeUp | null {
  if (kind !== "Deploy" || status !== "Failed") return null;
  const left = new Set(steps.filter(isUnfinished).map(({ componentId }) => componentId));
  const open = left.size === 0 ? components : components.filter(({ id }) => left.has(id));
  const isTaken = (one: ConsoleComponent) => one.override !== null && one.status !== "ReconcileRequested";
  if (!open.every((one) => one.health === "InSync" || isTaken(one))) return null;
  return open.some(isTaken) ? "takenOver" : "declared";
}

/** Whether a deploy has failed for a component in a way that the same declaration fails again. */
function isStopped(mutation: SystemMutation | null, id: string): boolean {
  const step = mutation?.steps.find(({ componentId }) => componentId === id);
  return step?.state === "failed" && step.error?.code === "InvalidDeclaration";
}

function DeclarationShown({ definition }: { readonly definition: SystemDeclaration }) {
  return (
    <>
      <p class="notice">{texts.actions.viewOnly}</p>
      <textarea
        class="sheet"
        readOnly
        rows={20}
        aria-label={liveSystemTexts.declaration.title}
        value={JSON.stringify(definition, null, 2)}
      />
    </>
  );
}

function SystemHistory({ id }: { readonly id: string }) {
  const { mutations } = useWorkplace().api.liveSystems;
  return (
    <Listing
      name={`mutations ${id}`}
      all={(signal) => mutations.list.all({ id }, { limit: 10, signal })}
      lot={10}
      isTouchedBy={({ subject, type }) => subject === id && type.startsWith("livesystem.")}
      caption={words.history}
      columns={words.historyColumns}
      keyOf={(one) => one.id}
      none={words.noHistory}
      cells={(mutation) => [
        <Instant key="at" at={mutation.completedAt ?? mutation.createdAt} />,
        <>
          <MutationState mutation={mutation} />
          {mutation.error !== null && !isReplaced(mutation) && <MutationFailure error={mutation.error} isPast />}
        </>,
        <Person key="who" text={mutation.createdBy} />,
      ]}
    />
  );
}

/** A live system that was deleted can't be found, but its mutations can. */
async function readOrDeleted(api: Api, id: string, signal: AbortSignal) {
  try {
    return await readSystem(api, id, signal);
  } catch (error) {
    if (!isLiveplaneError(error, "NotFound")) throw error;
    const [mutation] = (await api.liveSystems.mutations.list({ id }, { limit: 1, signal })).items;
    if (mutation?.kind !== "Delete" || mutation.status !== "Succeeded") throw error;
    return { mutation };
  }
}

async function readSystem(api: Api, id: string, signal: AbortSignal) {
  const system = await api.liveSystems.get({ id }, { signal });
  const components: ConsoleComponent[] = [];
  for await (const one of api.liveSystems.components.list.all({ id }, { limit: 200, signal })) components.push(one);
  const at = { id, mutationId: system.lastMutationId };
  const mutation = system.lastMutation && (await api.liveSystems.mutations.get(at, { signal }));
  return { system, components, mutation };
}
