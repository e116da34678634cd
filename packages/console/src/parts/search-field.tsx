interface SearchFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly hint?: string;
  readonly onType: (text: string) => void;
}

/** A field that narrows a list while somebody types. */
export function SearchField({ label, value = "", hint, onType }: SearchFieldProps) {
  return (
    <label>
      {label}
      <input
        type="search"
        value={value}
        placeholder={hint}
        onInput={({ currentTarget }) => onType(currentTarget.value)}
      />
    </label>
  );
}
