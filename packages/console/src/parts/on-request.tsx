import type { ComponentChildren } from "preact";

interface OnRequestProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A form that opens when somebody asks for it, with the focus in its first field. */
export function OnRequest({ label, children }: OnRequestProps) {
  return (
    <details
      class="on-request"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) currentTarget.querySelector<HTMLElement>("input, select, textarea")?.focus();
      }}
    >
      <summary>{label}</summary>
      {children}
    </details>
  );
}
