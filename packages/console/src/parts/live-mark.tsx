import { timeOfDay } from "../app/clock.ts";
import type { Live } from "../app/live.ts";
import { texts } from "../texts.ts";

/** Whether the page receives changes as they happen. Changes of that are announced. */
export function LiveMark({ live }: { readonly live: Live }) {
  const { isLive, since } = live.state.value;
  const broken = since === null ? texts.shell.connecting : texts.shell.asOf(timeOfDay(since));
  return (
    <span class={isLive ? "live" : "live broken"} role="status">
      <span aria-hidden="true">{isLive ? "●" : "◌"}</span>
      <span>{isLive ? texts.shell.live : broken}</span>
    </span>
  );
}
