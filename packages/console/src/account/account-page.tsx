import { PageHead } from "../parts/page-head.tsx";
import { texts } from "../texts.ts";
import { LinkedIdentities } from "./linked-identities.tsx";
import { OwnSessions } from "./own-sessions.tsx";

/** The person's own account: identities and sessions. */
export function AccountPage() {
  return (
    <>
      <PageHead title={texts.titles.account} />
      <LinkedIdentities />
      <OwnSessions />
    </>
  );
}
