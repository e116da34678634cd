import { PageHead } from "../parts/page-head.tsx";
import { texts } from "../texts.ts";
import { LinkedIdentities } from "./linked-identities.tsx";
import { OwnSessions } from "./own-sessions.tsx";

/** One's own account: by what somebody signs in, and where they are signed in. */
export function AccountPage() {
  return (
    <>
      <PageHead title={texts.titles.account} />
      <LinkedIdentities />
      <OwnSessions />
    </>
  );
}
