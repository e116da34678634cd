import type { Api } from "@liveplane/client";
import { Instant } from "../parts/instant.tsx";
import { Rows } from "../parts/listing.tsx";
import { accessTexts } from "../texts/access-texts.ts";

const words = accessTexts;

type Subscribed = Awaited<ReturnType<Api["subscriptions"]["get"]>>;

/** What a plan allows, what is used of it, and for how long. */
export function PlanTerms({ plan }: { readonly plan: Subscribed }) {
  const { subscriptionType, workgroupSubscriptionDetails, enterpriseSubscriptionDetails, counts } = plan;
  const details = workgroupSubscriptionDetails ?? enterpriseSubscriptionDetails;
  const limited = Object.values(counts).some(({ limit }) => limit !== null);
  return (
    <>
      <p>
        <strong>{subscriptionType}</strong>
        {details !== null && (
          <>
            {" "}
            · {words.planUntil} <Instant at={details.expirationDate} />
          </>
        )}
      </p>
      <Rows caption={words.ownPlan} columns={words.planColumns}>
        {Object.entries(counts).map(([name, { used, limit }]) => (
          <tr key={name}>
            <td data-column={words.planColumns[0]}>{words.amounts[name]}</td>
            <td data-column={words.planColumns[1]}>{used}</td>
            <td data-column={words.planColumns[2]}>{limit ?? words.unlimited}</td>
          </tr>
        ))}
      </Rows>
      <p class="small">
        {words.countsOn} {subscriptionType === "Discover" && `${words.discover} `}
        {limited ? words.limited : words.notLimited}
      </p>
    </>
  );
}
