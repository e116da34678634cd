import { texts } from "../texts.ts";

/** Says of a difference that it raises no alert. */
export function Muted({ isMuted }: { readonly isMuted: boolean }) {
  return isMuted ? <span class="small">{texts.parts.muted}</span> : null;
}
