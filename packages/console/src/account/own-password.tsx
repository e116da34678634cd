import { isLiveplaneError, LiveplaneError } from "@liveplane/client";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm } from "../parts/action.tsx";
import { TextField } from "../parts/text-field.tsx";
import { accountTexts } from "../texts/account-texts.ts";
import { texts } from "../texts.ts";
import type { OwnAccountProps } from "./own-name.tsx";

const words = accountTexts.password;

/** How the person changes their password, or gets a first one. */
export function OwnPassword({ account: { hasPassword, email } }: OwnAccountProps) {
  const { api } = useWorkplace();
  async function change(oldPassword: string, newPassword: string): Promise<void> {
    try {
      await api.accounts.changePassword({ oldPassword, newPassword });
    } catch (cause) {
      // The session is good; what was typed isn't.
      if (!isLiveplaneError(cause, "InvalidCredentials")) throw cause;
      throw new LiveplaneError("ValidationFailed", words.wrong, {
        cause,
        details: { errors: [{ pointer: "#/oldPassword", code: "Format", detail: words.wrong }] },
      });
    }
  }
  return (
    <section class="sheet" aria-labelledby="own-password">
      <h2 id="own-password">{words.title}</h2>
      {hasPassword ? <ChangePassword change={change} /> : <FirstPassword email={email} />}
    </section>
  );
}

interface ChangePasswordProps {
  readonly change: (oldPassword: string, newPassword: string) => Promise<void>;
}

function ChangePassword({ change }: ChangePasswordProps) {
  return (
    <>
      <p>{words.lead}</p>
      <ActionForm
        label={words.save}
        onRequest={words.change}
        done={words.changed}
        act={(field) => change(field("oldPassword"), field("newPassword"))}
      >
        <TextField name="oldPassword" label={words.current} kind="secret" autocomplete="current-password" isRequired />
        <TextField
          name="newPassword"
          label={texts.signIn.newPassword}
          kind="secret"
          autocomplete="new-password"
          isRequired
        />
        <p class="small">{texts.signIn.rule}</p>
      </ActionForm>
    </>
  );
}

/** A code by mail sets a first password, as it replaces a forgotten one. */
function FirstPassword({ email }: Pick<OwnAccountProps["account"], "email">) {
  const { accounts } = useWorkplace().api;
  if (email === null) return <p>{words.noAddress}</p>;
  return (
    <>
      <p>{words.none}</p>
      <ActionForm
        label={words.send(email)}
        isQuiet
        done={texts.signIn.codeSent}
        act={() => accounts.requestPasswordReset({ email })}
      />
    </>
  );
}
