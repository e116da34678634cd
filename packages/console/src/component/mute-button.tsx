import { useWorkplace } from "../app/workplace.ts";
import { shortPath } from "../board/override-lanes.ts";
import { AskedButton } from "../parts/action.tsx";
import { texts } from "../texts.ts";
import { deployed } from "./deployed.ts";
import { withMuted } from "./keep-changes.ts";

const words = texts.component;

interface MuteButtonProps {
  readonly componentId: string;
  readonly parameter: string;
  /** Whether its differences are muted now. */
  readonly isMuted: boolean;
}

/** Declares that differences of a parameter raise no alert, or do so again. */
export function MuteButton({ componentId, parameter, isMuted }: MuteButtonProps) {
  const { api } = useWorkplace();
  const id = componentId.split("/")[0] ?? "";
  return (
    <AskedButton
      label={isMuted ? words.unmute : words.mute}
      of={parameter}
      kind="calm"
      ask={(isMuted ? words.unmuteAsk : words.muteAsk)(parameter)}
      done={(isMuted ? words.unmuted : words.muted)(parameter)}
      act={async () => {
        const { definition, version } = await api.liveSystems.get({ id });
        const changed = withMuted(definition, shortPath(componentId), { parameter, isMuted: !isMuted });
        await deployed(api, id, { definition: changed, version });
      }}
    />
  );
}
