import { PageHead } from "../parts/page-head.tsx";
import { texts } from "../texts.ts";
import { LinkedIdentities } from "./linked-identities.tsx";
import { OwnSessions } from "./own-sessions.tsx";
import { SecondFactors } from "./second-factors.tsx";

/** The person's own account: second factors, identities and sessions. */
export function AccountPage() {
  return (
    <>
      <PageHead title={texts.titles.account} />
      <SecondFactors />
      <LinkedIdentities />
      <OwnSessions />
    </>
  );
}
