import type { Api } from "@liveplane/client";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm } from "../parts/action.tsx";
import { TextField } from "../parts/text-field.tsx";
import { accountTexts } from "../texts/account-texts.ts";

const words = accountTexts.name;

/** The person's account, as its parts show it. */
export interface OwnAccountProps {
  readonly account: Awaited<ReturnType<Api["accounts"]["me"]>>;
}

/** What the person is called, and how to change it. */
export function OwnName({ account: { name, surname, username, email, version } }: OwnAccountProps) {
  const { api } = useWorkplace();
  return (
    <section class="sheet" aria-labelledby="own-name">
      <h2 id="own-name">{words.title}</h2>
      <p>
        <strong>{[name, surname].filter(Boolean).join(" ") || words.none}</strong>{" "}
        <span class="small">{[username, email].filter(Boolean).join(", ")}</span>
      </p>
      <ActionForm
        key={version}
        label={words.save}
        onRequest={words.change}
        done={words.saved}
        act={(field) => {
          const called = { name: field("name").trim() || null, surname: field("surname").trim() || null };
          return api.accounts.update(called, { ifMatch: version });
        }}
      >
        <TextField name="name" label={words.first} value={name ?? ""} />
        <TextField name="surname" label={words.last} value={surname ?? ""} />
      </ActionForm>
    </section>
  );
}
