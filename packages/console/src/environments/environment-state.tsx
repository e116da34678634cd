import type { Api } from "@liveplane/client";
import { useWorkplace } from "../app/workplace.ts";
import { type StateTone, StateWord } from "../parts/state-word.tsx";
import { environmentTexts } from "../texts/environment-texts.ts";
import { texts } from "../texts.ts";

const words = environmentTexts.environments;

type ShownEnvironment = Awaited<ReturnType<Api["environments"]["get"]>>;

const tones: Readonly<Record<ShownEnvironment["status"], StateTone>> = {
  Registered: "calm",
  Initializing: "busy",
  Active: "good",
  Failed: "bad",
  Deleted: "calm",
};

/** How far an environment is initialized: in one word if that is so in every cloud, or else by cloud, those that are ready first. */
export function EnvironmentState({ status, initializations }: Pick<ShownEnvironment, "status" | "initializations">) {
  const runs = Object.entries(texts.clouds).map(([provider, cloud]) => ({
    cloud,
    // A cancelled run counts as none.
    run: initializations[provider]?.status ?? "Cancelled",
  }));
  const ready = runs.filter(({ run }) => run === "Completed");
  const begun = runs.filter(({ run }) => run !== "Cancelled");
  const said = ready.length === 0 ? begun : [...ready, ...runs.filter((one) => !ready.includes(one))];
  return (
    <StateWord tone={tones[status]}>
      {begun.length === 0 && words.uninitialized}
      {ready.length === runs.length
        ? words.initialized
        : said.map(({ cloud, run }) => words.inCloud[run](cloud)).join(", ")}
    </StateWord>
  );
}

/** Says that the clouds of this server are simulated, if they are. */
export function SimulatedClouds() {
  const { clouds } = useWorkplace();
  return clouds.kind === "simulated" ? <StateWord tone="hand">{words.simulated}</StateWord> : null;
}
