import { LiveplaneError, waitForMutation } from "@liveplane/client";
import { useWorkplace } from "../app/workplace.ts";
import { AskedButton } from "../parts/action.tsx";
import { texts } from "../texts.ts";

const words = texts.component;

interface RedeployProps {
  readonly livesystemId: string;
  readonly onDone: () => Promise<void>;
}

/** Deploys the live system as it is declared: the only way to make a missing resource again. */
export function Redeploy({ livesystemId: id, onDone }: RedeployProps) {
  const { api } = useWorkplace();
  return (
    <section aria-labelledby="redeploy">
      <h2 id="redeploy">{words.redeployTitle}</h2>
      <p>{words.redeployHelp}</p>
      <AskedButton
        label={words.redeploy}
        kind="calm"
        ask={words.redeployAsk}
        act={async () => {
          const { definition, version } = await api.liveSystems.get({ id });
          const begun = await api.liveSystems.deploy({ id }, definition, { ifMatch: version });
          const { error } = await waitForMutation(api, begun, { intervalMs: 500 });
          await onDone();
          if (error !== null) throw new LiveplaneError("ProviderError", error.detail);
        }}
      />
    </section>
  );
}
