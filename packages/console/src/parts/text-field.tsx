import { useId } from "preact/hooks";

interface TextFieldProps {
  readonly name: string;
  readonly label: string;
  /** `secret`: not shown while it is typed, and not stored by browsers. @default line */
  readonly kind?: "line" | "secret" | "text" | undefined;
  readonly value?: string;
  readonly hint?: string;
  readonly isRequired?: true;
}

export function TextField({ name, label, kind = "line", value = "", hint = "", isRequired }: TextFieldProps) {
  const id = useId();
  const shared = { id, name, placeholder: hint, defaultValue: value, required: isRequired === true };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {kind === "text" && <textarea {...shared} rows={4} spellcheck={false} />}
      {kind === "secret" && <input {...shared} type="password" autocomplete="off" />}
      {kind === "line" && <input {...shared} autocomplete="off" />}
    </div>
  );
}
