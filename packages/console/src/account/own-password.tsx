import { isLiveplaneError, LiveplaneError } from "@liveplane/client";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm } from "../parts/action.tsx";
import { TextField } from "../parts/text-field.tsx";
import { accountTexts } from "../texts/account-texts.ts";
import { texts } from "../texts.ts";

const words = accountTexts.password;

/** How the person changes their password. */
export function OwnPassword() {
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
    </section>
  );
}
