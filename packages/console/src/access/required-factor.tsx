import type { Api } from "@liveplane/client";
import { linkTo } from "../app/address.ts";
import type { useMay } from "../app/own-rights.ts";
import { useWorkplace } from "../app/workplace.ts";
import { AskedButton } from "../parts/action.tsx";
import { accessTexts } from "../texts/access-texts.ts";

const words = accessTexts.factor;

interface RequiredFactorProps {
  readonly organization: Awaited<ReturnType<Api["organizations"]["get"]>>;
  readonly may: ReturnType<typeof useMay>;
}

/** Whether an organization requires a second factor, and the button with which its Admins change that. */
export function RequiredFactor({ organization, may }: RequiredFactorProps) {
  const { api } = useWorkplace();
  const { id: organizationId, requiresSecondFactor, version } = organization;
  const change = requiresSecondFactor ? words.stop : words.require;
  return (
    <section class="sheet" aria-labelledby="required-factor">
      <h2 id="required-factor">{words.title}</h2>
      <p>{requiresSecondFactor ? words.required : words.notRequired}</p>
      {may("Admin") && (
        <AskedButton
          key={change.label}
          label={change.label}
          kind="calm"
          ask={change.ask}
          act={() =>
            api.organizations.update(
              { organizationId, requiresSecondFactor: !requiresSecondFactor },
              { ifMatch: version },
            )
          }
        />
      )}
      {!requiresSecondFactor && <a href={linkTo("account")}>{words.ownFactors}</a>}
    </section>
  );
}
