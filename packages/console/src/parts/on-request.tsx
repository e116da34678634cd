import type { ComponentChildren } from "preact";

interface OnRequestProps {
  readonly label: string;
  readonly children: ComponentChildren;
  /** Whether it is open from the start. @default false */
  readonly isOpen?: boolean | undefined;
}

/** A form that opens when somebody asks for it, with the focus in its first field, unless somebody has already moved on to another one. */
export function OnRequest({ label, children, isOpen = false }: OnRequestProps) {
  return (
    <details
      class="on-request"
      open={isOpen}
      onToggle={({ currentTarget }) => {
        const fields = [...currentTarget.querySelectorAll<HTMLElement>("input, select, textarea")];
        if (currentTarget.open && !fields.some((field) => field.matches(":focus"))) fields[0]?.focus();
      }}
    >
      <summary>{label}</summary>
      {children}
    </details>
  );
}
