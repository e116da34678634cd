import { useSignal } from "@preact/signals";
import { useContext } from "preact/hooks";
import { useWorkplace } from "../app/workplace.ts";
import { Named } from "../parts/named.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent } from "./keep-changes.ts";
import { MayEdit } from "./may-edit.ts";

const words = texts.component;

/** Who wrote a note, by name. */
export function NotedBy({ by }: { readonly by: string | null }) {
  if (by === null) return null;
  return (
    <>
      {words.notedBy} <Named text={by} />
    </>
  );
}

interface NoteFormProps {
  readonly component: ConsoleComponent;
  readonly onNoted: () => Promise<void>;
}

/**
 * Why it is overridden, its ticket, and when to send a reminder. Nobody's note is overwritten: a save is bound to the shown version, or
 * to a later one with the same note, since the agent stores new versions while somebody types.
 */
export function NoteForm({ component, onNoted }: NoteFormProps) {
  const { api } = useWorkplace();
  const failure = useSignal<unknown>(null);
  const said = useSignal("");
  const { override, livesystemId: id, id: componentId, version } = component;
  const shown = noteOf(component);
  const mayEdit = useContext(MayEdit);
  if (override === null || "heldBy" in override || !mayEdit) return null;

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const fields = new FormData(event.currentTarget);
    const field = (name: string) => String(fields.get(name) ?? "").trim() || null;
    const remindAt = field("remindAt");
    const note = {
      reason: field("reason"),
      ticket: field("ticket"),
      remindAt: remindAt && new Date(remindAt).toISOString(),
    };
    failure.value = null;
    said.value = "";
    try {
      const now = await api.liveSystems.components.get({ id, componentId });
      const ifMatch = noteOf(now) === shown ? now.version : version;
      await api.liveSystems.components.annotateOverride({ id, componentId }, note, { ifMatch });
      said.value = Object.values(note).some((part) => part !== null) ? words.noted : words.notedEmpty;
    } catch (error) {
      failure.value = error;
    }
    await onNoted();
  }

  return (
    <details class="note">
      <summary>{words.note}</summary>
      <form onSubmit={submit} key={shown}>
        <label>
          {words.reason}
          <input name="reason" defaultValue={override.reason ?? ""} maxLength={1024} />
        </label>
        <label>
          {words.ticket}
          <input name="ticket" defaultValue={override.ticket ?? ""} />
        </label>
        <label>
          {words.remindAt}
          <input name="remindAt" type="datetime-local" defaultValue={localInput(override.remindAt)} />
        </label>
        <button type="submit">{words.noteIt}</button>
        <p role="status">{said.value}</p>
        <FailureNotice error={failure.value} />
      </form>
    </details>
  );
}

/** The note of a component as one text, to compare it. */
function noteOf({ override }: Pick<ConsoleComponent, "override">): string {
  return override === null || "heldBy" in override
    ? ""
    : JSON.stringify([override.reason, override.ticket, override.remindAt]);
}

/** An instant for the browser's input field, in the reader's time zone. */
function localInput(at: string | null): string {
  if (at === null) return "";
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
