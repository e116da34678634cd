import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useWorkplace } from "../app/workplace.ts";
import { texts } from "../texts.ts";
import { FaultsOfForm, type FieldFaults, faultsOf, isShownAtFields } from "./field-faults.ts";
import { FailureNotice } from "./notice.tsx";
import { OnRequest } from "./on-request.tsx";

/** Something that a person starts, one run at a time. A waiting button says so and isn't disabled, or the keyboard would lose its place. */
export interface Action {
  readonly isBusy: Signal<boolean>;
  /** Why the last run failed. */
  readonly failure: Signal<unknown>;
  /** Runs it, and returns whether it succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>;
}

/** An action of a page. */
export function useAction(): Action {
  const isBusy = useSignal(false);
  const failure = useSignal<unknown>(null);
  return {
    isBusy,
    failure,
    async run(work) {
      if (isBusy.value) return false;
      isBusy.value = true;
      failure.value = null;
      try {
        await work();
        return true;
      } catch (error) {
        failure.value = error;
        return false;
      } finally {
        isBusy.value = false;
      }
    },
  };
}

export type Field = (name: string) => string;

interface ActionFormProps {
  readonly label: string;
  readonly act: (field: Field) => Promise<unknown>;
  readonly children?: ComponentChildren;
  readonly class?: string;
  /** Another button of the page stands out. @default false */
  readonly isQuiet?: boolean;
  /** What opens the form, if it is shown only on request. */
  readonly onRequest?: string;
  /** Whether that form is open from the start. @default false */
  readonly isOpen?: boolean;
  /** What is said after it succeeded; `null`: nothing, because the page shows it. @default that it is done */
  readonly done?: string | null;
}

/** Fields with a button. They are emptied after a success. A refusal is shown at the fields that it names, or else below. */
export function ActionForm(props: ActionFormProps) {
  const { label, act, children, class: name = "", isQuiet = false, onRequest, isOpen } = props;
  const { done = texts.actions.done } = props;
  const { tell, live } = useWorkplace();
  const { isBusy, failure, run } = useAction();
  const faults = useSignal<FieldFaults>({});
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => element.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus(), [faults.value]);
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const fields = new FormData(form);
    if (await run(() => act((field) => String(fields.get(field) ?? "")))) {
      form.reset();
      live.reread();
      if (form.contains(document.activeElement)) form.querySelector<HTMLElement>("input, select, textarea")?.focus();
      if (done !== null) tell(done);
    }
    const shown = [...form.querySelectorAll<HTMLInputElement>(".field > [name]")].map((field) => field.name);
    faults.value = faultsOf(failure.value, shown);
  }
  const view = (
    <form class={`action ${name}`} onSubmit={submit} aria-busy={isBusy.value} ref={element}>
      <FaultsOfForm.Provider value={faults.value}>{children}</FaultsOfForm.Provider>
      <button type="submit" class={isQuiet ? "quiet" : ""} aria-disabled={isBusy.value}>
        {label}
      </button>
      {!isShownAtFields(failure.value, faults.value) && <FailureNotice error={failure.value} />}
    </form>
  );
  return onRequest === undefined ? (
    view
  ) : (
    <OnRequest label={onRequest} isOpen={isOpen}>
      {view}
    </OnRequest>
  );
}

interface AskedButtonProps {
  readonly label: string;
  /** What it acts on, if several buttons have the same label: screen readers announce it. */
  readonly of?: string | undefined;
  /** `danger`: something is gone afterwards. @default danger */
  readonly kind?: "danger" | "calm";
  /** The consequence, shown before it runs. */
  readonly ask: string;
  readonly act: () => Promise<unknown>;
  /** What is said after it succeeded; `null`: nothing, because the page shows it. @default that it is done */
  readonly done?: string | null;
}

/** A button that asks for confirmation. */
export function AskedButton(props: AskedButtonProps) {
  const { label, of, kind = "danger", ask, act } = props;
  const { done = texts.actions.done } = props;
  const { tell, live } = useWorkplace();
  const { isBusy, failure, run } = useAction();
  const isAsked = useSignal(false);
  const button = useFocusAfter(isAsked.value);
  const named = <Labelled label={label} of={of} />;
  if (!isAsked.value)
    return (
      <button type="button" class={`quiet ${kind}`} ref={button} onClick={() => (isAsked.value = true)}>
        {named}
      </button>
    );
  const confirm = async () => {
    if (!(await run(act))) return;
    isAsked.value = false;
    live.reread();
    if (done !== null) tell(done);
  };
  return (
    <fieldset class="asked">
      <legend class="hidden">{named}</legend>
      <p role="alert">{ask}</p>
      <button type="button" class={kind} ref={button} aria-disabled={isBusy.value} onClick={() => void confirm()}>
        {named}
      </button>
      <button type="button" class="quiet" onClick={() => (isAsked.value = false)}>
        {texts.actions.leave}
      </button>
      <FailureNotice error={failure.value} />
    </fieldset>
  );
}

function Labelled({ label, of }: Pick<AskedButtonProps, "label" | "of">) {
  return (
    <>
      {label}
      {of !== undefined && <span class="hidden"> {of}</span>}
    </>
  );
}

/** If one button replaces another, the focus moves to it. */
function useFocusAfter(state: unknown) {
  const button = useRef<HTMLButtonElement>(null);
  const before = useRef(state);
  useLayoutEffect(() => {
    if (before.current !== state) button.current?.focus();
    before.current = state;
  }, [state]);
  return button;
}
