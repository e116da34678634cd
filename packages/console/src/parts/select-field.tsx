interface SelectFieldProps {
  readonly name: string;
  readonly label: string;
  /** Each value with its text. The first is chosen at the start. */
  readonly choices: readonly (readonly [value: string, text: string])[];
}

/** A labelled list to choose one value from. */
export function SelectField({ name, label, choices }: SelectFieldProps) {
  return (
    <label>
      {label}
      <select name={name}>
        {choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
