import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { texts } from "../texts.ts";
import { LinkedIdentities } from "./linked-identities.tsx";
import { OwnName } from "./own-name.tsx";
import { OwnPassword } from "./own-password.tsx";
import { OwnSessions } from "./own-sessions.tsx";
import { SecondFactors } from "./second-factors.tsx";

/** The person's own account: name, password, second factors, identities and sessions. */
export function AccountPage() {
  const { api } = useWorkplace();
  const { loaded } = useLoaded({
    key: "own account",
    load: (signal) => api.accounts.me({ signal }),
    isTouchedBy: ({ type }) => type.startsWith("account."),
  });
  const { value, error } = loaded.value;
  return (
    <>
      <PageHead title={texts.titles.account} />
      <FailureNotice error={error} />
      {value === null && error === null && <Waiting />}
      <div class="halves">
        {value !== null && (
          <>
            <OwnName account={value} />
            <OwnPassword account={value} />
          </>
        )}
        <SecondFactors />
        <LinkedIdentities />
        <OwnSessions />
      </div>
    </>
  );
}
