import type { ComponentChildren } from "preact";
import { CopyLine } from "../parts/copy-line.tsx";
import { webhookTexts as words } from "../texts/webhook-texts.ts";

interface ShownOnceProps {
  readonly secret: string;
  /** The name of its webhook. */
  readonly name: string;
  readonly hide: () => void;
  readonly children?: ComponentChildren;
}

/** A new secret. It is only in this element, and removed with it. */
export function ShownOnce({ secret, name, hide, children }: ShownOnceProps) {
  return (
    <div class="revealed" role="status">
      <p>{words.secretOf(name)}</p>
      <CopyLine line={secret} />
      <button type="button" class="quiet" onClick={hide}>
        {words.hide}
      </button>
      {children}
    </div>
  );
}
