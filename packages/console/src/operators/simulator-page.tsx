import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { linkTo } from "../app/address.ts";
import type { ServerDoor } from "../app/server-door.ts";
import { simulatedPath } from "../app/simulated-hand.ts";
import { type CloudHand, useWorkplace } from "../app/workplace.ts";
import { shortPath } from "../board/override-lanes.ts";
import { ActionForm, AskedButton } from "../parts/action.tsx";
import { ComponentLink } from "../parts/component-link.tsx";
import { Listing } from "../parts/listing.tsx";
import { OnRequest } from "../parts/on-request.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { TextField } from "../parts/text-field.tsx";
import { typedText } from "../parts/typed-text.ts";
import { operatorTexts } from "../texts/operator-texts.ts";
import { texts } from "../texts.ts";
import { SimulatedFaultForm } from "./simulated-fault-form.tsx";

const words = operatorTexts.simulator;
const providers = ["provider-a", "provider-b"] as const;

/** A resource of a simulated cloud, as its console shows it. */
interface ShownResource {
  readonly id: string;
  readonly type: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** `null`: it belongs to none. */
  readonly component: {
    readonly id: string;
    readonly liveSystemName: string;
    readonly environment: string;
    readonly isOverridden: boolean;
  } | null;
}

/** The simulated clouds of this server: their resources and their faults. */
export function SimulatorPage() {
  const { door, clouds, address } = useWorkplace();
  const { resource = "", provider: only = "", q = "" } = address?.place.value.query ?? {};
  if (door === null || clouds.kind === "real")
    return <PageHead title={words.title}>{door === null ? operatorTexts.people.none : words.noClouds}</PageHead>;
  return (
    <>
      <PageHead title={words.title}>
        <search class="filters">
          <SearchField
            label={texts.board.search}
            value={q}
            hint={words.searchHint}
            onType={(text) => address?.filter({ q: text, resource: "", provider: "" })}
          />
        </search>
      </PageHead>
      <p class="small">{words.lead}</p>
      {resource !== "" && (
        <p>
          {words.only(resource.slice(resource.lastIndexOf("/") + 1))} <a href={linkTo("simulator")}>{words.all}</a>
        </p>
      )}
      {providers
        .filter((provider) => resource === "" || only === "" || provider === only)
        .map((provider) => (
          <SimulatedCloudView
            key={provider}
            provider={provider}
            door={door}
            hand={clouds.hand}
            resource={resource}
            search={q}
          />
        ))}
    </>
  );
}

interface CloudProps {
  readonly provider: (typeof providers)[number];
  readonly door: ServerDoor;
  readonly hand: CloudHand;
  /** The ID of the only resource to list; empty: all. */
  readonly resource: string;
  readonly search: string;
}

function SimulatedCloudView({ provider, door, hand, resource, search }: CloudProps) {
  const changes = useSignal(0);
  const isWanted = (one: ShownResource) => (resource === "" ? hasIn(one, search) : one.id === resource);
  const changed = async (work: Promise<unknown>) => {
    await work;
    changes.value++;
  };
  return (
    <section class="sheet" aria-labelledby={provider}>
      <h2 id={provider}>{texts.clouds[provider]}</h2>
      <SimulatedFaultForm provider={provider} door={door} />
      {provider === "provider-a" && <DeviceApproval door={door} />}
      <Listing
        name={`${provider} ${resource}`}
        narrowing={`${changes.value} ${search}`}
        all={(signal) => resourcesOf({ door, provider, signal }, isWanted)}
        isTouchedBy={({ type }) => type.startsWith("component.")}
        caption={words.resources}
        columns={words.columns}
        keyOf={({ id }) => id}
        none={resource === "" ? words[search === "" ? "none" : "noneFound"] : words.notHere}
        cells={({ id, type, tags, parameters, component }) => {
          const path = simulatedPath(provider, id);
          const name = id.slice(id.lastIndexOf("/") + 1);
          const handed = { id: null, provider, type, resourceId: id };
          const fitting = handOversFor(tags, { isOverridden: component?.isOverridden === true });
          const retag = (next: unknown) => changed(door.ask("PUT", `${path}/tags`, next));
          return [
            <span key="id" title={id}>
              <strong>{name}</strong>{" "}
              {component !== null && (
                <>
                  <ComponentLink id={component.id}>{nameOf(component)}</ComponentLink>{" "}
                  <span class="small">{words.within(component.environment)}</span>
                </>
              )}{" "}
              <span class="small type">{breakable(type.split("@")[0] ?? "")}</span>
            </span>,
            <EditedMap key="tags" what="tags" label={words.tags(name)} value={tags} keep={retag} />,
            <EditedMap
              key="parameters"
              what="parameters"
              label={words.parameters(name)}
              value={parameters}
              help={words.merged}
              keep={(patch) => changed(door.ask("PATCH", `${path}/parameters`, patch))}
            />,
            <div key="actions" class="buttons">
              {fitting.takeOver && <ActionForm label={words.takeOver} act={() => changed(hand.takeOver(handed))} />}
              {fitting.handBack && <ActionForm label={words.handBack} act={() => changed(hand.handBack(handed))} />}
              <AskedButton label={words.delete} ask={words.deleteAsk} act={() => changed(door.ask("DELETE", path))} />
            </div>,
          ];
        }}
      />
    </section>
  );
}

/** What fits a resource's tags: nobody takes over what waits to be handed back, nor hands back what is handed back. */
function handOversFor(tags: Readonly<Record<string, string>>, { isOverridden }: { readonly isOverridden: boolean }) {
  const isManaged = tags["managed-by"] === "platform";
  const isHandedBack = isManaged && tags.platform === "reconcile";
  return {
    takeOver: isManaged && (!isOverridden || isHandedBack),
    handBack: !isHandedBack && (isOverridden || (!isManaged && "platform-owner" in tags)),
  };
}

/** A type's name, which may be broken after its slashes and dots. */
function breakable(type: string) {
  return type.split(/(?<=[/.:])/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

/** Approves a sign-in on another device, as a person would at the cloud. */
function DeviceApproval({ door }: Pick<CloudProps, "door">) {
  return (
    <OnRequest label={words.device}>
      <p class="small">{words.deviceHelp}</p>
      <ActionForm
        label={words.agree}
        act={(field) => door.ask("POST", `simulator/provider-a/devices/${encodeURIComponent(field("code"))}/complete`)}
      >
        <TextField name="code" label={words.deviceCode} isRequired />
      </ActionForm>
    </OnRequest>
  );
}

interface EditedMapProps {
  readonly what: keyof typeof words.edits;
  readonly label: string;
  readonly value: object;
  /** What saving does besides what it says. */
  readonly help?: string;
  readonly keep: (value: unknown) => Promise<void>;
}

/** A map, editable as JSON on demand. */
function EditedMap({ what, label, value, help, keep }: EditedMapProps) {
  return (
    <>
      <ul>
        {Object.entries(value).map(([name, one]) => (
          <li key={name}>
            <code>
              {name}: {typeof one === "string" ? one : JSON.stringify(one)}
            </code>
          </li>
        ))}
      </ul>
      <details>
        <summary>{words.edits[what]}</summary>
        <ActionForm label={words.keep} class="stack" act={async (field) => keep(await typedText(field("json")))}>
          <TextField name="json" label={label} kind="text" value={JSON.stringify(value, null, 1)} />
          {help !== undefined && <p class="small">{help}</p>}
        </ActionForm>
      </details>
    </>
  );
}

/** A component as `<live system>/<path>`. */
const nameOf = ({ id, liveSystemName }: NonNullable<ShownResource["component"]>) =>
  `${liveSystemName}/${shortPath(id)}`;

/** Whether a resource's ID, component, live system or environment contains a text. */
function hasIn({ id, component }: ShownResource, text: string): boolean {
  const said = component === null ? [] : [nameOf(component), words.within(component.environment)];
  return [id, ...said].join("\n").toLowerCase().includes(text.toLowerCase());
}

interface ReadResources extends Pick<CloudProps, "door" | "provider"> {
  /** Another search may have begun meanwhile. */
  readonly signal: AbortSignal;
}

async function* resourcesOf(
  { door, provider, signal }: ReadResources,
  isWanted: (one: ShownResource) => boolean,
): AsyncGenerator<ShownResource> {
  for (let cursor: string | null = ""; cursor !== null && !signal.aborted; ) {
    const query = new URLSearchParams({ limit: "200", ...(cursor !== "" && { cursor }) });
    const page = (await door.ask("GET", `simulator/${provider}/resources?${query}`)) as {
      items: ShownResource[];
      nextCursor: string | null;
    };
    yield* page.items.filter(isWanted);
    cursor = page.nextCursor;
  }
}
