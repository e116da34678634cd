import type { Api } from "@liveplane/client";
import { useSignal } from "@preact/signals";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm } from "../parts/action.tsx";
import { accessTexts } from "../texts/access-texts.ts";
import { lastOf, PrincipalField } from "./grants.tsx";
import { type OrganizationPartProps, usePrincipals } from "./named-principals.ts";

const words = accessTexts;

type Explained = Awaited<ReturnType<Api["permissions"]["explain"]>>;

interface WhyFormProps extends OrganizationPartProps {
  readonly groups: readonly string[];
}

/** Why somebody has a permission: each grant, with the teams that lead to it. */
export function WhyForm({ organizationId, groups }: WhyFormProps) {
  const { api, names } = useWorkplace();
  const principals = usePrincipals(organizationId);
  const found = useSignal<(Explained & { readonly asked: string }) | null>(null);
  return (
    <section class="sheet" aria-label={words.why}>
      <ActionForm
        label={words.explain}
        onRequest={words.why}
        done={null}
        act={async (field) => {
          found.value = null;
          const resourceGroup = field("group");
          const who = await principals.typed(field("who"));
          const query = { ...who, ...(resourceGroup !== "" && { resourceGroup }) };
          found.value = {
            ...(await api.permissions.explain({ organizationId }, query)),
            asked: who.principalId,
          };
        }}
      >
        <PrincipalField offered={principals.offered} />
        <label>
          {words.on}
          <select name="group">
            <option value="">{words.onOrganization}</option>
            {groups.map((name) => (
              <option key={name} value={lastOf(name)}>
                {words.onGroup(lastOf(name))}
              </option>
            ))}
          </select>
        </label>
      </ActionForm>
      <div role="status">
        {found.value !== null && (
          <>
            <p>
              {found.value.permissions.length === 0
                ? words.mayNothing(names.in(found.value.asked))
                : words.may(names.in(found.value.asked), found.value.permissions.join(", "))}
            </p>
            <ul class="why">
              {found.value.because.map(({ scope, permissionType, via }, at) => (
                <li key={at}>
                  {words.because(permissionType, placeOf(scope))}{" "}
                  {[found.value?.asked ?? "", ...via].map(names.in).join(" → ")}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  );
}

/** The place of a scope: `Organizational/<id>`, or one of its groups. */
function placeOf(scope: string): string {
  return scope.split("/").length > 2 ? words.onGroup(lastOf(scope)) : words.onOrganization;
}
