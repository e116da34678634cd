import { texts } from "../texts.ts";

/** Shown while something is read, after a short delay. */
export function Waiting() {
  return <p class="waiting">{texts.shell.starting}</p>;
}
