import type { Api } from "@liveplane/client";
import type { ComponentChildren } from "preact";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, AskedButton } from "../parts/action.tsx";
import { SelectField } from "../parts/select-field.tsx";
import { TextField } from "../parts/text-field.tsx";
import { environmentTexts } from "../texts/environment-texts.ts";
import type { EnvironmentPlace } from "./environment-place.ts";

const words = environmentTexts.reach;

interface ReachProps {
  readonly listed: readonly string[];
  /** Replaces what is listed. */
  readonly change: (listed: string[]) => Promise<unknown>;
}

interface EnvironmentReachProps {
  readonly place: EnvironmentPlace;
  readonly environment: Pick<Awaited<ReturnType<Api["environments"]["get"]>>, "resourceScopes" | "resourceGroups">;
  readonly change: (to: Parameters<Api["environments"]["update"]>[1]) => Promise<unknown>;
}

/** Where the resources of an environment may be besides its own group or project, and the resource groups that it is in. */
export function EnvironmentReach({ place, environment, change }: EnvironmentReachProps) {
  const { resourceScopes, resourceGroups } = environment;
  return (
    <>
      <ResourceScopes listed={resourceScopes} change={(listed) => change({ resourceScopes: listed })} />
      {place.type === "Organizational" && (
        <EnvironmentGroups
          place={place}
          listed={resourceGroups}
          change={(listed) => change({ resourceGroups: listed })}
        />
      )}
    </>
  );
}

function ResourceScopes(props: ReachProps) {
  return (
    <Reach {...props} name="resourceScopes" shown={String}>
      <TextField name="resourceScopes" label={words.scope} isRequired />
    </Reach>
  );
}

function EnvironmentGroups({ place, ...props }: ReachProps & { readonly place: EnvironmentPlace }) {
  const { type, ownerId: organizationId } = place;
  const { api, names } = useWorkplace();
  const { loaded } = useLoaded({
    key: `groups ${organizationId}`,
    load: (signal) => api.organizations.resourceGroups.list({ organizationId }, { limit: 200, signal }),
    isTouchedBy: (event) => event.type.startsWith("resource_group."),
  });
  const free = (loaded.value.value?.items ?? [])
    .map(({ id: { shortName } }) => [`${type}/${organizationId}/${shortName}`, shortName] as const)
    .filter(([name]) => !props.listed.includes(name));
  return (
    <Reach
      {...props}
      name="resourceGroups"
      shown={names.in}
      note={<a href={linkTo("access", [organizationId])}>{words.noMore}</a>}
    >
      {free.length > 0 && <SelectField name="resourceGroups" label={words.group} choices={free} />}
    </Reach>
  );
}

interface ReachSectionProps extends ReachProps {
  /** The member of the environment. Its field has the same name. */
  readonly name: "resourceScopes" | "resourceGroups";
  readonly shown: (one: string) => string;
  /** The field for one more; none if there is no more. */
  readonly children: ComponentChildren;
  /** What stands there if there is no more. */
  readonly note?: ComponentChildren;
}

function Reach({ name, listed, change, shown, children, note }: ReachSectionProps) {
  const { title, help, ask, more } = words[name];
  return (
    <section class="sheet" aria-labelledby={name}>
      <h2 id={name}>{title}</h2>
      <p class="small">{help}</p>
      {listed.length > 0 && (
        <ul class="changes">
          {listed.map((one) => (
            <li key={one}>
              <code>{shown(one)}</code>{" "}
              <AskedButton
                label={words.remove}
                of={shown(one)}
                ask={ask}
                act={() => change(listed.filter((other) => other !== one))}
              />
            </li>
          ))}
        </ul>
      )}
      {children === false ? (
        <p class="small">{note}</p>
      ) : (
        <ActionForm label={words.add} onRequest={more} act={(field) => change([...listed, field(name)])}>
          {children}
        </ActionForm>
      )}
    </section>
  );
}
