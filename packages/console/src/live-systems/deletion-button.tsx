import { linkTo } from "../app/address.ts";
import { useWorkplace } from "../app/workplace.ts";
import { shortPath } from "../board/override-lanes.ts";
import type { ConsoleComponent } from "../component/keep-changes.ts";
import { AskedButton } from "../parts/action.tsx";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import type { SystemDeclaration } from "./declaration-changes.ts";

const words = liveSystemTexts.deletion;

interface DeletionProps {
  readonly system: { readonly id: string; readonly name: string; readonly definition: SystemDeclaration };
  readonly components: readonly ConsoleComponent[];
  readonly reload: () => Promise<void>;
}

/** Deletes a live system. It says first what that deletes in the clouds, and what it keeps. */
export function DeletionButton({ system, components, reload }: DeletionProps) {
  const { api, address } = useWorkplace();
  const { id, name, definition } = system;
  const existing = components.filter(({ conditions }) => conditions.exists.value !== false);
  const kept = existing.flatMap((one) => {
    const why = whyKept(one, { components, definition });
    return why === null ? [] : [words.keptOne[why](shortPath(one.id))];
  });
  return (
    <AskedButton
      label={words.label}
      ask={words.ask(name, { deleted: existing.length - kept.length, all: components.length, kept })}
      done={null}
      act={async () => {
        await api.liveSystems.delete({ id });
        address?.go(linkTo("live-systems", [id]));
        await reload();
      }}
    />
  );
}

/** Why a resource stays in the cloud; `null`: it is deleted. One whose management tag is back is deleted, too. */
function whyKept(
  { id, override }: ConsoleComponent,
  { components, definition }: Pick<DeletionProps, "components"> & Pick<DeletionProps["system"], "definition">,
): keyof typeof words.keptOne | null {
  const held = override !== null && "heldBy" in override ? override.heldBy : null;
  const holding = held === null ? override : components.find((one) => one.id === held)?.override;
  if (holding && "awaiting" in holding && holding.awaiting === "management-tag") return "taken";
  const declared = definition.components.find(({ path }) => path === shortPath(id));
  return declared?.deletionPolicy === "Retain" ? "retained" : null;
}
