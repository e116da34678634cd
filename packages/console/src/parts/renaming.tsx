import { texts } from "../texts.ts";
import { ActionForm } from "./action.tsx";
import { TextField } from "./text-field.tsx";

const words = texts.renaming;

interface RenamingProps {
  /** The name until now; `null` if it has none. */
  readonly name: string | null;
  readonly rename: (name: string | null) => Promise<unknown>;
}

/** Changes the name of what a page shows. An empty one takes it away. */
export function Renaming({ name, rename }: RenamingProps) {
  return (
    <section class="sheet" aria-label={words.change}>
      <ActionForm label={words.rename} onRequest={words.change} act={(field) => rename(field("name") || null)}>
        <TextField name="name" label={words.name} value={name ?? ""} />
      </ActionForm>
    </section>
  );
}
