import { useContext, useId } from "preact/hooks";
import { FaultsOfForm } from "./field-faults.ts";

interface TextFieldProps {
  readonly name: string;
  readonly label: string;
  /** `secret`: not shown while it is typed, and not stored by browsers. @default line */
  readonly kind?: "line" | "secret" | "text" | undefined;
  readonly value?: string;
  readonly hint?: string;
  readonly isRequired?: boolean;
  /** What a browser's password manager may fill in or keep. @default off */
  readonly autocomplete?: "current-password" | "new-password";
  /** Values that are offered while somebody types. */
  readonly offers?: readonly string[];
}

/** A labelled field. It shows what a refusal of its form says about it. */
export function TextField(props: TextFieldProps) {
  const { name, label, kind = "line", value, hint, isRequired = false, offers, autocomplete = "off" } = props;
  const id = useId();
  const fault = useContext(FaultsOfForm)[name];
  const shared = {
    id,
    name,
    placeholder: hint ?? "",
    defaultValue: value ?? "",
    required: isRequired,
    ...(fault !== undefined && { "aria-invalid": true, "aria-describedby": `${id}-fault` }),
  };
  const list = offers && `${id}-offers`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {kind === "text" && <textarea {...shared} rows={4} spellcheck={false} />}
      {kind === "secret" && <input {...shared} type="password" autocomplete={autocomplete} />}
      {kind === "line" && <input {...shared} type="text" autocomplete="off" list={list} />}
      {offers && (
        <datalist id={list}>
          {offers.map((offer) => (
            <option key={offer} value={offer} />
          ))}
        </datalist>
      )}
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
