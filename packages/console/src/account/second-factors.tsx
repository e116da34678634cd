import type { Api } from "@liveplane/client";
import { useSignal } from "@preact/signals";
import { type Offered, useOffered } from "../app/offered.ts";
import { createPasskey, knowsPasskeys } from "../app/passkeys.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, AskedButton } from "../parts/action.tsx";
import { CopyButton, CopyLine } from "../parts/copy-line.tsx";
import { Instant } from "../parts/instant.tsx";
import { Listing } from "../parts/listing.tsx";
import { TextField } from "../parts/text-field.tsx";
import { factorTexts as words } from "../texts/factor-texts.ts";
import { NotOffered } from "./not-offered.tsx";
import { QrCode } from "./qr-code.tsx";

type TotpSecret = Awaited<ReturnType<Api["accounts"]["factors"]["addTotp"]>>;

/** The second factors of the person's account: how to add, replace and remove them. */
export function SecondFactors() {
  const { factors } = useWorkplace().api.accounts;
  const offered = useOffered();
  const codes = useSignal<readonly string[]>([]);
  return (
    <section class="sheet" aria-labelledby="factors">
      <h2 id="factors">{words.title}</h2>
      <p>{words.lead}</p>
      <Listing
        name="factors"
        all={(signal) => factors.list.all({ limit: 100, signal })}
        isTouchedBy={({ type }) => type.startsWith("factor.")}
        caption={words.title}
        columns={words.columns}
        keyOf={({ id }) => id}
        none={words.none}
        cells={({ id, kind, name, createdAt, lastUsedAt, remaining }) => [
          name,
          remaining === null ? words.kinds[kind] : words.remaining(remaining),
          <Instant key="added" at={createdAt} />,
          lastUsedAt === null ? words.never : <Instant key="used" at={lastUsedAt} />,
          <AskedButton
            key="remove"
            label={words.remove}
            of={name}
            ask={words.removeAsk}
            act={() => factors.delete({ factorId: id })}
          />,
        ]}
      />
      <NewPasskey offered={offered} />
      <AuthenticatorApp isQuiet={offered?.passkey === true && knowsPasskeys()} />
      <AskedButton
        label={words.issue}
        kind="calm"
        ask={words.issueAsk}
        done={null}
        act={async () => {
          codes.value = (await factors.issueRecoveryCodes()).codes;
        }}
      />
      {codes.value.length > 0 && <NewCodes codes={codes.value} />}
    </section>
  );
}

/** Adds an authenticator app, or replaces the one that is there. */
function AuthenticatorApp({ isQuiet }: { readonly isQuiet: boolean }) {
  const { factors } = useWorkplace().api.accounts;
  const app = useSignal<TotpSecret | null>(null);
  if (app.value === null)
    return (
      <ActionForm
        label={words.add}
        isQuiet={isQuiet}
        done={null}
        act={async () => {
          app.value = await factors.addTotp();
        }}
      />
    );
  return (
    <NewApp
      app={app.value}
      confirm={async (code) => {
        await factors.confirmTotp({ code });
        app.value = null;
      }}
    />
  );
}

/** Adds a passkey. Where the service or the browser has none, it says why. */
function NewPasskey({ offered }: { readonly offered: Offered | null }) {
  const { accounts } = useWorkplace().api;
  if (offered === null) return null;
  if (!offered.passkey) return <NotOffered why={words.noPasskeys} />;
  if (!knowsPasskeys()) return <p class="small">{words.passkeysUnknown}</p>;
  return (
    <ActionForm
      label={words.addPasskey}
      act={async (field) => {
        const credential = await createPasskey(await accounts.factors.beginPasskey());
        const name = field("name");
        await accounts.factors.addPasskey({ credential, ...(name !== "" && { name }) });
      }}
    >
      <p class="small">{words.passkeyHelp}</p>
      <TextField name="name" label={words.passkeyName} />
    </ActionForm>
  );
}

interface NewAppProps {
  readonly app: TotpSecret;
  readonly confirm: (code: string) => Promise<void>;
}

/** The secret of a new app, until a code confirms it. */
function NewApp({ app, confirm }: NewAppProps) {
  return (
    <>
      <p role="status">{words.scan}</p>
      <QrCode text={app.uri} label={words.picture} />
      <p>{words.key}</p>
      <CopyLine line={app.secret} />
      <ActionForm label={words.confirm} act={(field) => confirm(field("code"))}>
        <TextField name="code" label={words.code} isRequired />
      </ActionForm>
    </>
  );
}

function NewCodes({ codes }: { readonly codes: readonly string[] }) {
  return (
    <>
      <p role="status">{words.codes}</p>
      <ul>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CopyButton text={codes.join("\n")} label={words.copyCodes} />
    </>
  );
}
