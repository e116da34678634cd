import type { Api } from "@liveplane/client";
import { type Signal, useSignal } from "@preact/signals";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm, AskedButton } from "../parts/action.tsx";
import { CopyLine } from "../parts/copy-line.tsx";
import { Listing } from "../parts/listing.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { StateWord } from "../parts/state-word.tsx";
import { TextField } from "../parts/text-field.tsx";
import { operatorTexts } from "../texts/operator-texts.ts";
import { texts } from "../texts.ts";

const words = operatorTexts.people;

const tones = { Registered: "busy", OneTime: "busy", Active: "good", Suspended: "bad", Deleted: "calm" } as const;

/** Everybody with an account on this server. Operators invite and remove them here. */
export function PeoplePage() {
  const { api, door, ownId } = useWorkplace();
  /** Each password is shown until it is used or hidden, whoever else gets one meanwhile. */
  const made = useSignal<readonly OneTimePassword[]>([]);
  if (door === null) return <PageHead title={words.title}>{words.none}</PageHead>;
  async function issuePassword(id: string, called: string): Promise<void> {
    const password = oneTimePassword();
    await api.accounts.setPassword({ accountId: id }, { newPassword: password });
    made.value = [...made.value.filter((one) => one.id !== id), { id, called, password }];
  }
  return (
    <>
      <PageHead title={words.title}>
        <a href={linkTo("plans")}>{texts.titles.plans}</a>
      </PageHead>
      <Invitation made={made} />
      <section class="sheet" aria-labelledby="accounts">
        <h2 id="accounts">{words.accounts}</h2>
        <Listing
          name="accounts"
          all={(signal) => api.accounts.list.all({ limit: 100, signal })}
          isTouchedBy={({ type }) => type.startsWith("account.")}
          caption={words.accounts}
          columns={words.columns}
          keyOf={({ id }) => id}
          none=""
          cells={({ id, name, surname, username, email, version, ...account }) => {
            const called = [name, surname].filter(Boolean).join(" ") || (username ?? email ?? id);
            const status = statusOf(account);
            return [
              <span key="name" title={id}>
                {called} {username !== null && username !== called && <span class="small">{username}</span>}{" "}
                {id === ownId && <span class="small">{words.you}</span>}
              </span>,
              email,
              <StateWord key="state" tone={tones[status]}>
                {words.statuses[status]}
              </StateWord>,
              id !== ownId && (
                <AccountActions
                  key="actions"
                  account={{ ...account, id, version }}
                  called={called}
                  issue={issuePassword}
                />
              ),
            ];
          }}
        />
      </section>
    </>
  );
}

type Account = Awaited<ReturnType<Api["accounts"]["list"]>>["items"][number];

interface AccountActionsProps {
  readonly account: Pick<Account, "id" | "status" | "version">;
  readonly called: string;
  readonly issue: (id: string, called: string) => Promise<void>;
}

/** What operators do with somebody else's account. */
function AccountActions({ account: { id, status, version }, called, issue }: AccountActionsProps) {
  const { accounts } = useWorkplace().api;
  return (
    <div class="buttons">
      {status === "Active" && (
        <>
          <AskedButton
            label={words.suspend}
            of={called}
            ask={words.suspendAsk}
            act={() => accounts.suspend({ accountId: id })}
          />
          <AskedButton
            label={words.password}
            of={called}
            ask={words.passwordAsk}
            done={null}
            act={() => issue(id, called)}
          />
        </>
      )}
      {status === "Suspended" && <ActionForm label={words.resume} act={() => accounts.resume({ accountId: id })} />}
      <AskedButton
        label={words.remove}
        of={called}
        ask={words.removeAsk}
        act={() => accounts.delete({ accountId: id }, { ifMatch: version })}
      />
    </div>
  );
}

/** A state; `OneTime` until they have signed in and chosen their own password. */
function statusOf({ status, forcePasswordChange }: Pick<Account, "status" | "forcePasswordChange">) {
  return status === "Active" && forcePasswordChange ? "OneTime" : status;
}

interface OneTimePassword {
  /** Of the account. */
  readonly id: string;
  readonly called: string;
  readonly password: string;
}

/** What the field of an invitation holds. */
const who = "email|username";

/** Invites somebody: an address gets a mail with a code, a user name gets a one-time password. */
function Invitation({ made }: { readonly made: Signal<readonly OneTimePassword[]> }) {
  const { accounts } = useWorkplace().api;
  const mailedTo = useSignal("");
  useLoaded({
    key: "one-time passwords",
    async load(signal) {
      for (const { id } of made.value) {
        const { forcePasswordChange } = await accounts.get({ accountId: id }, { signal });
        if (!forcePasswordChange) made.value = made.value.filter((one) => one.id !== id);
      }
    },
    isTouchedBy: ({ type }) => type.startsWith("account."),
  });
  async function invite(called: string): Promise<void> {
    mailedTo.value = "";
    if (called.includes("@")) {
      await accounts.createWithEmail({ email: called });
      mailedTo.value = called;
    } else {
      const password = oneTimePassword();
      const { id } = await accounts.createWithCredentials({ username: called, password });
      made.value = [...made.value, { id, called, password }];
    }
  }
  return (
    <section class="sheet" aria-label={words.inviteTitle}>
      <ActionForm
        label={words.invite}
        onRequest={words.inviteTitle}
        done={null}
        act={(field) => invite(field(who).trim())}
      >
        <TextField name={who} label={words.who} isRequired />
      </ActionForm>
      <p class="small">{words.inviteHelp}</p>
      <div role="status">
        {mailedTo.value !== "" && <p>{words.mailed(mailedTo.value)}</p>}
        {made.value.map((one) => (
          <div class="revealed" key={one.id}>
            <p>{words.passOn(one.called)}</p>
            <CopyLine line={one.password} />
            <button
              type="button"
              class="quiet"
              onClick={() => (made.value = made.value.filter((other) => other !== one))}
            >
              {words.hide}
            </button>
          </div>
        ))}
      </div>
    </section>
  );
}

/** Twenty letters and digits that nobody mixes up: about a hundred bits. */
function oneTimePassword(): string {
  const letters = "abcdefghijkmnpqrstuvwxyz23456789";
  const drawn = crypto.getRandomValues(new Uint8Array(20));
  const text = Array.from(drawn, (byte) => letters[byte % letters.length]).join("");
  return (text.match(/.{5}/g) ?? []).join("-");
}
