import { type Signal, useSignal } from "@preact/signals";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { fullNameOf } from "../board/override-lanes.ts";
import { DeclarationEditor } from "../live-systems/declaration-editor.tsx";
import { useAction } from "../parts/action.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { CopyButton } from "../parts/copy-line.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { UnreadPage } from "../parts/unread-page.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { environmentTexts } from "../texts/environment-texts.ts";
import { texts } from "../texts.ts";
import type { EnvironmentPlace } from "./environment-place.ts";
import {
  type FoundResource,
  isFree,
  isShown,
  type Manager,
  managerOf,
  managers,
  type ResourceBranch,
  treeOf,
} from "./existing-rows.ts";
import { WithinEnvironments } from "./within-environments.tsx";
import { yamlOf } from "./yaml-text.ts";

const words = environmentTexts.resources;
/** More rows than these make a page slow. */
const mostRows = 500;
const mostDeclared = 1000;

/** What an environment's clouds hold already: chosen here, then declared and planned. */
export function ExistingResources({ place }: { readonly place: EnvironmentPlace }) {
  const { api, address } = useWorkplace();
  const environment = useLoaded({
    key: fullNameOf(place),
    load: (signal) => api.environments.get(place, { signal }),
  });
  const { value, error } = environment.loaded.value;
  if (value === null) return <UnreadPage title={words.title} error={error} />;
  const clouds = Object.entries(value.initializations).flatMap(([cloud, run]) =>
    run.status === "Completed" ? [cloud] : [],
  );
  const cloud = address?.place.value.query.provider ?? clouds[0];
  const here = linkTo("environments", [place.type, place.ownerId, place.shortName]);
  return (
    <>
      <PageHead
        title={words.title}
        within={
          <>
            <WithinEnvironments place={place} /> / <a href={here}>{value.name ?? place.shortName}</a>
          </>
        }
      />
      <p>{words.about}</p>
      {clouds.length > 1 && (
        <nav aria-label={words.clouds} class="buttons">
          {clouds.map((one) => (
            <a
              key={one}
              href={linkTo("environments", [place.type, place.ownerId, place.shortName, "resources"], {
                provider: one,
              })}
              {...(one === cloud && { "aria-current": "page" as const })}
            >
              {texts.clouds[one] ?? one}
            </a>
          ))}
        </nav>
      )}
      {cloud === undefined ? (
        <p class="empty">{words.uninitialized}</p>
      ) : (
        <InCloud key={cloud} place={place} cloud={cloud} />
      )}
    </>
  );
}

/** What one cloud holds. */
function InCloud({ place, cloud }: { readonly place: EnvironmentPlace; readonly cloud: string }) {
  const { api } = useWorkplace();
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const text = useSignal("");
  const manager = useSignal<Manager | null>(null);
  const nested = useSignal(false);
  const isNested = nested.value;
  const { loaded, reload } = useLoaded({
    key: `${cloud} ${isNested}`,
    load: (signal) =>
      allIn(async (cursor) => {
        const more = { ...(isNested && { nested: true }), ...(cursor !== null && { cursor }) };
        const query = { provider: cloud, limit: 200, ...more, signal };
        return api.environments.resources.list(place, query);
      }),
  });
  const { value, error, isLoading } = loaded.value;
  const shown = value?.items.filter((one) => isShown(one, { text: text.value, manager: manager.value })) ?? [];
  const free = shown.filter(isFree).map(({ id }) => id);
  const toggle = (id: string) => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  return (
    <>
      <Filters text={text} manager={manager} nested={nested} isLoading={isLoading} onAgain={() => void reload()} />
      <FailureNotice error={error} />
      {value === null && error === null && <Waiting />}
      {value?.warnings.map((warning) => (
        <p key={warning} class="notice">
          {warning}
        </p>
      ))}
      {value !== null && (
        <>
          <p role="status">{words.found(shown.length, value.items.length, chosen.value.size)}</p>
          <div class="buttons">
            <button type="button" class="quiet" onClick={() => (chosen.value = new Set([...chosen.value, ...free]))}>
              {words.all(free.length)}
            </button>
            <button type="button" class="quiet" onClick={() => (chosen.value = new Set())}>
              {words.none}
            </button>
          </div>
          {shown.length > 0 && (
            <div class="sheet">
              {treeOf(shown.slice(0, mostRows)).map((branch) => (
                <Branch key={branch.scope} branch={branch} chosen={chosen.value} toggle={toggle} />
              ))}
            </div>
          )}
          {shown.length > mostRows && <p class="small">{words.more(shown.length - mostRows)}</p>}
          <Declared place={place} chosen={[...chosen.value]} />
        </>
      )}
    </>
  );
}

interface FiltersProps {
  readonly text: Signal<string>;
  readonly manager: Signal<Manager | null>;
  readonly nested: Signal<boolean>;
  readonly isLoading: boolean;
  readonly onAgain: () => void;
}

function Filters({ text, manager, nested, isLoading, onAgain }: FiltersProps) {
  return (
    <search class="filters">
      <SearchField label={words.search} value={text.value} onType={(typed) => (text.value = typed)} />
      <ChoiceField
        label={words.managedBy}
        value={manager.value ?? ""}
        onChoose={(value) => (manager.value = managers.find((one) => one === value) ?? null)}
        options={managers.map((one) => [one, words.managers[one]])}
        none={words.anybody}
      />
      <label>
        <input
          type="checkbox"
          checked={nested.value}
          onChange={({ currentTarget }) => (nested.value = currentTarget.checked)}
        />
        {words.nested}
      </label>
      <button type="button" class="quiet" aria-disabled={isLoading} onClick={onAgain}>
        {words.again}
      </button>
    </search>
  );
}

type ListPage = Awaited<ReturnType<ReturnType<typeof useWorkplace>["api"]["environments"]["resources"]["list"]>>;

/** All pages, with what they warn of. */
async function allIn(pageAt: (cursor: string | null) => Promise<ListPage>) {
  const items: FoundResource[] = [];
  const warnings = new Set<string>();
  for (let cursor: string | null = null; ; ) {
    const page: ListPage = await pageAt(cursor);
    items.push(...page.items);
    for (const warning of page.warnings ?? []) warnings.add(warning);
    cursor = page.nextCursor;
    if (cursor === null) return { items, warnings: [...warnings] };
  }
}

interface BranchProps {
  readonly branch: ResourceBranch;
  readonly chosen: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
}

function Branch({ branch: { scope, types }, chosen, toggle }: BranchProps) {
  return (
    <details open>
      <summary>{scope}</summary>
      {types.map(({ type, items }) => (
        <fieldset key={type} class="resources">
          <legend>{type}</legend>
          <ul>
            {items.map((one) => (
              <li key={one.id}>
                <label>
                  <input
                    type="checkbox"
                    disabled={!isFree(one)}
                    checked={chosen.has(one.id)}
                    onChange={() => toggle(one.id)}
                  />
                  {one.name}
                </label>{" "}
                <span class="small">{one.location}</span> <Managed one={one} />
              </li>
            ))}
          </ul>
        </fieldset>
      ))}
    </details>
  );
}

function Managed({ one }: { readonly one: FoundResource }) {
  const { managedBy } = one;
  if (managedBy === null) return one.declarable ? null : <span class="small">{words.unknown}</span>;
  if (managedBy.kind === "tool") return <span class="small">{words.byTool(managedBy.name)}</span>;
  return <span class="small">{words.managers[managerOf(one)]}</span>;
}

type Answer = Awaited<ReturnType<ReturnType<typeof useWorkplace>["api"]["environments"]["resources"]["declare"]>>;

/** The declaration of what is chosen: read, taken along, or planned and deployed. */
function Declared({ place, chosen }: { readonly place: EnvironmentPlace; readonly chosen: readonly string[] }) {
  const { api, address } = useWorkplace();
  const { isBusy, failure, run } = useAction();
  const answer = useSignal<Answer | null>(null);
  const name = useSignal("");
  const declare = async () => {
    const declared = await api.environments.resources.declare(place, { resourceIds: [...chosen] });
    const given = name.value.trim();
    answer.value = given === "" ? declared : { ...declared, definition: { ...declared.definition, name: given } };
  };
  return (
    <section class="sheet" aria-labelledby="declaration">
      <h2 id="declaration">{words.declaration}</h2>
      <form
        class="action"
        onSubmit={(event) => {
          event.preventDefault();
          void run(declare);
        }}
      >
        <label>
          {words.name}
          <input value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
        </label>
        <button
          type="submit"
          disabled={chosen.length === 0 || chosen.length > mostDeclared}
          aria-disabled={isBusy.value}
        >
          {words.declare(chosen.length)}
        </button>
        <FailureNotice error={failure.value} />
      </form>
      {answer.value !== null && (
        <>
          <Review answer={answer.value} />
          <DeclarationEditor
            key={JSON.stringify(answer.value.definition)}
            system={null}
            initial={answer.value.definition as Parameters<typeof DeclarationEditor>[0]["initial"]}
            onBegun={({ livesystemId }) => address?.go(linkTo("live-systems", [livesystemId]))}
          />
        </>
      )}
    </section>
  );
}

/** What to know before a plan, and the declaration as a file. */
function Review({ answer: { definition, secrets, warnings } }: { readonly answer: Answer }) {
  const yaml = yamlOf(definition as Parameters<typeof yamlOf>[0]);
  return (
    <>
      {warnings.length + secrets.length > 0 && (
        <ul class="notice">
          {warnings.map(({ resourceId, detail }) => (
            <li key={`${resourceId} ${detail}`}>
              <code>{resourceId}</code> {detail}
            </li>
          ))}
          {secrets.map(({ shortName, resourceId, pointer }) => (
            <li key={shortName}>{words.secret(shortName, pointer, resourceId)}</li>
          ))}
        </ul>
      )}
      <details>
        <summary>{words.yaml}</summary>
        <textarea readOnly rows={Math.min(22, yaml.split("\n").length)} aria-label={words.yaml} value={yaml} />
      </details>
      <div class="buttons">
        <CopyButton text={yaml} label={words.copy} />
        <a download="liveplane.yaml" href={`data:application/yaml;charset=utf-8,${encodeURIComponent(yaml)}`}>
          {words.download}
        </a>
      </div>
    </>
  );
}
