import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Address } from "../app/address.ts";
import type { ConsoleSession, SessionState } from "../app/session.ts";
import { Brand } from "../parts/brand.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { texts } from "../texts.ts";

interface SignInProps {
  readonly session: ConsoleSession;
  readonly address: Address;
  readonly state: Extract<SessionState, { kind: "signedOut" | "mustChange" }>;
}

/** Signs a person in, and lets them replace a one-time password. */
export function SignInPage({ session, address, state }: SignInProps) {
  const failure = useSignal<unknown>(null);
  const isBusy = useSignal(false);
  const words = texts.signIn;

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isBusy.value || !(event.currentTarget instanceof HTMLFormElement)) return;
    const fields = new FormData(event.currentTarget);
    const field = (name: string) => String(fields.get(name) ?? "");
    isBusy.value = true;
    failure.value = null;
    try {
      if (state.kind === "mustChange") await session.choosePassword(field("newPassword"));
      else await session.signIn(field("username"), field("password"));
    } catch (error) {
      failure.value = error;
    }
    isBusy.value = false;
  }

  return (
    <main class="sign-in">
      <h1>
        <Brand />
      </h1>
      <p>{words.lead}</p>
      {state.kind === "signedOut" && state.left !== null && (
        <p class="notice" role="status">
          {words.ended}
        </p>
      )}
      <form onSubmit={submit} key={state.kind} aria-busy={isBusy.value}>
        {state.kind === "signedOut" ? (
          <>
            <label>
              {words.name}
              <input name="username" autocomplete="username" required />
            </label>
            <label>
              {words.password}
              <input name="password" type="password" autocomplete="current-password" required />
            </label>
          </>
        ) : (
          <>
            <p role="status">{words.once}</p>
            <label>
              {words.newPassword}
              <input name="newPassword" type="password" autocomplete="new-password" required />
            </label>
          </>
        )}
        <button type="submit" aria-disabled={isBusy.value}>
          {state.kind === "mustChange" ? words.choose : words.signIn}
        </button>
        <FailureNotice error={failure.value} />
      </form>
      {state.kind === "signedOut" && <ProviderLink session={session} address={address} />}
    </main>
  );
}

/** The link to the service's provider, if it has one. */
function ProviderLink({ session, address }: Pick<SignInProps, "session" | "address">) {
  const provider = useSignal<string | null>(null);
  useEffect(() => {
    // If the service can't be reached, the form will say so.
    void session.providerAddress().then(
      (found) => {
        provider.value = found;
      },
      () => {},
    );
  }, [session, provider]);
  if (provider.value === null) return null;
  return (
    <a href={provider.value} onClick={address.keep}>
      {texts.signIn.atProvider}
    </a>
  );
}
