import { PageHead } from "../parts/page-head.tsx";
import { texts } from "../texts.ts";
import { LinkedIdentities } from "./linked-identities.tsx";
import { OwnName } from "./own-name.tsx";
import { OwnPassword } from "./own-password.tsx";
import { OwnSessions } from "./own-sessions.tsx";
import { SecondFactors } from "./second-factors.tsx";

/** The person's own account: name, password, second factors, identities and sessions. */
export function AccountPage() {
  return (
    <>
      <PageHead title={texts.titles.account} />
      <div class="halves">
        <OwnName />
        <OwnPassword />
        <SecondFactors />
        <LinkedIdentities />
        <OwnSessions />
      </div>
    </>
  );
}
