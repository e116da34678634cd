import { isLiveplaneError } from "@liveplane/client";
import { useSignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { useNaming } from "../app/workplace.ts";
import { texts } from "../texts.ts";

/** Lets the person sign in again and return. `null`: the page can't, because another one signs in. */
export const SignInAgain = createContext<(() => Promise<boolean>) | null>(null);

/** An error for people: what went wrong, where, and what to tell the operators. */
export function FailureNotice({ error }: { readonly error: unknown }) {
  const signInAgain = useContext(SignInAgain);
  const inNames = useNaming();
  /** What they have signed in again for. */
  const answered = useSignal<unknown>(null);
  if (error === null || error === undefined || error === answered.value) return null;
  const said = explained(error);
  // The only fault is often the whole message.
  const all = isLiveplaneError(error) ? (error.details.errors ?? []) : [];
  const places = all.filter(({ detail }) => !said.includes(detail));
  return (
    <div class="notice failed" role="alert">
      <p>{inNames(said)}</p>
      {isLiveplaneError(error) && (
        <>
          {places.length > 0 && (
            <ul>
              {places.map(({ pointer, detail }, at) => (
                <li key={at}>
                  {pointer !== undefined && <code>{pointer}</code>} {inNames(detail)}
                </li>
              ))}
            </ul>
          )}
          {error.code === "SignInNotFresh" && signInAgain !== null && (
            <button
              type="button"
              onClick={async ({ currentTarget }) => {
                // This button will be gone. Whoever returns continues at what asked for the sign-in.
                currentTarget.closest("form, fieldset")?.querySelector("button")?.focus();
                if (await signInAgain()) answered.value = error;
              }}
            >
              {texts.failure.signInAgain}
            </button>
          )}
          {error.requestId !== undefined && <p class="small">{texts.failure.request(error.requestId)}</p>}
        </>
      )}
    </div>
  );
}

/** An error's text for people; for a conflict it says what to do. */
function explained(error: unknown): string {
  // A mistake in typed text, found by the page itself.
  if (error instanceof RangeError) return error.message;
  if (!isLiveplaneError(error)) return texts.failure.ofPage(String(error));
  // The title of a code has no full stop.
  return texts.failure.byCode[error.code] ?? error.message.replace(/[^.]$/, "$&.");
}
