import type { Api } from "@liveplane/client";
import { Instant } from "../parts/instant.tsx";
import { accessTexts } from "../texts/access-texts.ts";

const words = accessTexts;

type Subscribed = Awaited<ReturnType<Api["subscriptions"]["get"]>>;

/** The limits of a plan, and when it ends. */
export function PlanTerms({ plan }: { readonly plan: Subscribed }) {
  const { subscriptionType, workgroupSubscriptionDetails, enterpriseSubscriptionDetails } = plan;
  const details = workgroupSubscriptionDetails ?? enterpriseSubscriptionDetails;
  const amounts = Object.entries(details ?? {}).filter(([name]) => name in words.amounts);
  return (
    <p>
      <strong>{subscriptionType}</strong>
      {amounts.map(([name, amount]) => ` · ${amount} ${words.amounts[name]}`)}
      {details !== null && (
        <>
          {" "}
          · {words.planUntil} <Instant at={details.expirationDate} />
        </>
      )}
    </p>
  );
}
