import { useWorkplace } from "../app/workplace.ts";
import { AskedButton } from "../parts/action.tsx";
import { texts } from "../texts.ts";
import { deployed } from "./deployed.ts";

const words = texts.component;

interface RedeployProps {
  readonly livesystemId: string;
  readonly onDone: () => Promise<void>;
}

/** Says how a missing resource is created again, and offers it. */
export function Redeploy({ isOverridden, ...props }: RedeployProps & { readonly isOverridden: boolean }) {
  return (
    <section class="sheet" aria-labelledby="redeploy">
      <h2 id="redeploy">{words.redeployTitle}</h2>
      <p>{words.redeployHelp(isOverridden)}</p>
      <RedeployButton {...props} />
    </section>
  );
}

/** Deploys the live system as it is declared. */
export function RedeployButton({ livesystemId: id, onDone }: RedeployProps) {
  const { api } = useWorkplace();
  return (
    <AskedButton
      label={words.redeploy}
      kind="calm"
      ask={words.redeployAsk}
      done={words.redeployed}
      act={async () => {
        await deployed(api, id, await api.liveSystems.get({ id })).finally(onDone);
      }}
    />
  );
}
