import { texts } from "../texts.ts";

/** Stands where something is read that isn't there yet; it shows when that takes longer than a moment. */
export function Waiting() {
  return <p class="waiting">{texts.shell.starting}</p>;
}
