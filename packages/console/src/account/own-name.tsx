import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm } from "../parts/action.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { TextField } from "../parts/text-field.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { accountTexts } from "../texts/account-texts.ts";

const words = accountTexts.name;

/** What the person is called, and how to change it. */
export function OwnName() {
  const { api } = useWorkplace();
  const { loaded } = useLoaded({
    key: "own name",
    load: (signal) => api.accounts.me({ signal }),
    isTouchedBy: ({ type }) => type.startsWith("account."),
  });
  const { value, error } = loaded.value;
  return (
    <section class="sheet" aria-labelledby="own-name">
      <h2 id="own-name">{words.title}</h2>
      <FailureNotice error={error} />
      {value === null && error === null && <Waiting />}
      {value !== null && (
        <>
          <p>
            <strong>{[value.name, value.surname].filter(Boolean).join(" ") || words.none}</strong>{" "}
            <span class="small">{[value.username, value.email].filter(Boolean).join(", ")}</span>
          </p>
          <ActionForm
            key={value.version}
            label={words.save}
            onRequest={words.change}
            done={words.saved}
            act={(field) => {
              const called = { name: field("name").trim() || null, surname: field("surname").trim() || null };
              return api.accounts.update(called, { ifMatch: value.version });
            }}
          >
            <TextField name="name" label={words.first} value={value.name ?? ""} />
            <TextField name="surname" label={words.last} value={value.surname ?? ""} />
          </ActionForm>
        </>
      )}
    </section>
  );
}
