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
}

/** Declares that differences of a parameter raise no alert. */
export function MuteButton({ componentId, parameter }: MuteButtonProps) {
  const { api } = useWorkplace();
  const id = componentId.split("/")[0] ?? "";
  return (
    <AskedButton
      label={words.mute}
      of={parameter}
      kind="calm"
      ask={words.muteAsk(parameter)}
      done={words.muted(parameter)}
      act={async () => {
        const { definition, version } = await api.liveSystems.get({ id });
        const muted = withMuted(definition, shortPath(componentId), parameter);
        await deployed(api, id, { definition: muted, version });
      }}
    />
  );
}
