import { texts } from "../texts.ts";

interface ChoiceFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChoose: (value: string) => void;
  readonly options: readonly (readonly [value: string, text: string])[];
  /** The text of no choice. @default all */
  readonly none?: string;
}

/** A list that narrows what is shown to one value. */
export function ChoiceField({ label, value = "", onChoose, options, none = texts.board.all }: ChoiceFieldProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        <option value="">{none}</option>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
