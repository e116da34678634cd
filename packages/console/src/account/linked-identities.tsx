import { LiveplaneError } from "@liveplane/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useOffered } from "../app/offered.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, AskedButton, useAction } from "../parts/action.tsx";
import { Instant } from "../parts/instant.tsx";
import { Listing } from "../parts/listing.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { accountTexts } from "../texts/account-texts.ts";
import { NotOffered } from "./not-offered.tsx";

const words = accountTexts.identities;

/** The identities at OpenID providers that the person can sign in with. */
export function LinkedIdentities() {
  const { api } = useWorkplace();
  const { identities } = api.accounts;
  // A returning person is linked before the page receives events.
  const links = useSignal(0);
  const offered = useOffered();
  return (
    <section class="sheet" aria-labelledby="identities">
      <h2 id="identities">{words.title}</h2>
      <Listing
        name={`identities ${links.value}`}
        all={(signal) => identities.list.all({ limit: 100, signal })}
        isTouchedBy={({ type }) => type.startsWith("identity.")}
        caption={words.title}
        columns={words.columns}
        keyOf={({ id }) => id}
        none={words.none}
        cells={({ id, issuer, subject, email, createdAt, lastUsedAt }) => [
          <span key="who" title={subject}>
            {email ?? subject}
          </span>,
          <code key="issuer">{issuer}</code>,
          <Instant key="linked" at={createdAt} />,
          lastUsedAt === null ? words.never : <Instant key="used" at={lastUsedAt} />,
          <AskedButton
            key="unlink"
            label={words.unlink}
            of={email ?? subject}
            ask={words.unlinkAsk}
            act={() => identities.delete({ identityId: id })}
          />,
        ]}
      />
      <Link onLinked={() => links.value++} />
      {offered?.openId === false && <NotOffered why={words.noProvider} />}
      {offered?.openId === true && (
        <ActionForm
          label={words.link}
          class="quiet"
          done={null}
          act={async () => {
            const { url } = await identities.authorize();
            const back = new URLSearchParams({ returnTo: location.pathname });
            location.assign(await providerAddress(`${new URL(`.${url}`, document.baseURI)}&${back}`));
          }}
        />
      )}
    </section>
  );
}

/** Where to prove an identity. A page must post for it, so that a foreign link can't start linking. */
async function providerAddress(start: string): Promise<string> {
  const answer = await fetch(start, { method: "POST" }).catch((cause: unknown) => {
    throw new LiveplaneError("Unavailable", undefined, { cause });
  });
  if (!answer.ok) throw new LiveplaneError("Unavailable");
  return ((await answer.json()) as { readonly location: string }).location;
}

/** Links the identity of a completed sign-in at the provider. */
function Link({ onLinked }: { readonly onLinked: () => void }) {
  const { api, address } = useWorkplace();
  const { isBusy, failure, run } = useAction();
  useEffect(() => {
    const code = address?.takeCode() ?? null;
    if (code !== null) void run(() => api.accounts.identities.link({ code }).then(onLinked));
  }, [api, address]);
  return (
    <>
      {isBusy.value && <p role="status">{words.linking}</p>}
      <FailureNotice error={failure.value} />
    </>
  );
}
