import type { Api } from "@liveplane/client";
import { useSignal } from "@preact/signals";
import { linkTo } from "../app/address.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, type Field } from "../parts/action.tsx";
import { Instant } from "../parts/instant.tsx";
import { Listing } from "../parts/listing.tsx";
import { Named } from "../parts/named.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { operatorTexts } from "../texts/operator-texts.ts";
import { texts } from "../texts.ts";

const words = operatorTexts.plans;

type Plan = Awaited<ReturnType<Api["subscriptions"]["list"]>>["items"][number];
type PlanType = Plan["subscriptionType"];

/** Everybody's plan: what it is, what is used of it, and a form to change it. */
export function PlansPage() {
  const { api, door } = useWorkplace();
  if (door === null) return <PageHead title={texts.titles.plans}>{operatorTexts.people.none}</PageHead>;
  return (
    <>
      <PageHead title={texts.titles.plans} within={<a href={linkTo("people")}>{texts.titles.people}</a>} />
      <p class="small">{words.help}</p>
      <Listing
        name="plans"
        all={(signal) => api.subscriptions.list.all({ limit: 100, signal })}
        isTouchedBy={({ type }) => /^(subscription|account|organization|livesystem)\./.test(type)}
        caption={texts.titles.plans}
        columns={words.columns}
        keyOf={({ id }) => id}
        none=""
        cells={(plan) => [
          <Named key="name" text={plan.accountId} />,
          <PlanName key="plan" plan={plan} />,
          ...Object.values(plan.counts).map(({ used, limit }) => words.used(used, limit)),
          <ChangedPlan key="change" plan={plan} />,
        ]}
      />
    </>
  );
}

function PlanName({ plan }: { readonly plan: Plan }) {
  const details = detailsOf(plan);
  return (
    <>
      {plan.subscriptionType}
      {details !== null && (
        <span class="small">
          {" "}
          {words.until} <Instant at={details.expirationDate} />
        </span>
      )}
    </>
  );
}

/** Changes a plan: its type, and the numbers of that type. */
function ChangedPlan({ plan }: { readonly plan: Plan }) {
  const { subscriptions } = useWorkplace().api;
  const type = useSignal<PlanType>(plan.subscriptionType);
  const { workgroupSubscriptionDetails: workgroup, enterpriseSubscriptionDetails: enterprise } = plan;
  return (
    <details key={plan.version}>
      <summary>{words.change}</summary>
      <ActionForm
        label={words.save}
        class="stack"
        act={(field) =>
          subscriptions.update({ subscriptionId: plan.id }, changeOf(type.value, field), { ifMatch: plan.version })
        }
      >
        <label>
          {words.type}
          <select value={type.value} onChange={(event) => (type.value = event.currentTarget.value as PlanType)}>
            {words.types.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {type.value === "Workgroup" && (
          <NumberField name="multiplicator" value={workgroup?.multiplicator ?? 1} step="any" isRequired />
        )}
        {type.value === "Enterprise" && (
          <>
            <NumberField name="maxNumberOfAccounts" value={enterprise?.maxNumberOfAccounts} isRequired />
            <NumberField name="maxNumberOfOrganizations" value={enterprise?.maxNumberOfOrganizations} isRequired />
            <NumberField name="maxNumberOfLiveSystems" value={enterprise?.maxNumberOfLiveSystems} />
            <NumberField name="maxNumberOfComponents" value={enterprise?.maxNumberOfComponents} />
          </>
        )}
        {type.value !== "Discover" && (
          <label>
            {words.validUntil}
            <input type="date" name="until" required defaultValue={detailsOf(plan)?.expirationDate.slice(0, 10)} />
          </label>
        )}
      </ActionForm>
    </details>
  );
}

interface NumberFieldProps {
  readonly name: keyof typeof words.amounts;
  readonly value: number | undefined;
  readonly isRequired?: boolean;
  readonly step?: "any";
}

function NumberField({ name, value, isRequired = false, step }: NumberFieldProps) {
  return (
    <label>
      {words.amounts[name]}
      <input type="number" name={name} min={1} step={step} required={isRequired} defaultValue={value} />
    </label>
  );
}

const detailsOf = ({ workgroupSubscriptionDetails, enterpriseSubscriptionDetails }: Plan) =>
  workgroupSubscriptionDetails ?? enterpriseSubscriptionDetails;

type Change = Parameters<Api["subscriptions"]["update"]>[1];

/** The body for the type that was chosen; an optional number that is left empty means no limit. */
function changeOf(subscriptionType: PlanType, field: Field): Change {
  const amount = (name: keyof typeof words.amounts) => Number(field(name));
  const ifGiven = <Name extends keyof typeof words.amounts>(name: Name) =>
    field(name) !== "" && ({ [name]: amount(name) } as Readonly<Record<Name, number>>);
  // The plan lasts through the day that was chosen.
  const expirationDate = `${field("until")}T23:59:59Z`;
  return {
    subscriptionType,
    workgroupSubscriptionDetails:
      subscriptionType === "Workgroup" ? { multiplicator: amount("multiplicator"), expirationDate } : null,
    enterpriseSubscriptionDetails:
      subscriptionType === "Enterprise"
        ? {
            maxNumberOfAccounts: amount("maxNumberOfAccounts"),
            maxNumberOfOrganizations: amount("maxNumberOfOrganizations"),
            ...ifGiven("maxNumberOfLiveSystems"),
            ...ifGiven("maxNumberOfComponents"),
            expirationDate,
          }
        : null,
  };
}
