import type { Api } from "@liveplane/client";
import { ifFound } from "../app/if-found.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { AskedButton } from "../parts/action.tsx";
import { Instant } from "../parts/instant.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { StateWord } from "../parts/state-word.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { environmentTexts } from "../texts/environment-texts.ts";
import { texts } from "../texts.ts";
import { CloudLocations } from "./cloud-locations.tsx";
import { DeviceSignIn } from "./device-sign-in.tsx";
import {
  type EnvironmentPartProps,
  type EnvironmentPlace,
  type InitializedCloud,
  runTones,
} from "./environment-place.ts";
import { InitializationForm } from "./initialization-form.tsx";

const words = environmentTexts.initialization;

type Run = Awaited<ReturnType<Api["environments"]["providerA"]["initialize"]>>;

export interface InitializationProps extends EnvironmentPartProps {
  readonly cloud: InitializedCloud;
}

/** The initialization of an environment in a cloud, step by step. */
export function InitializationView({ cloud, place, may }: InitializationProps) {
  const { api } = useWorkplace();
  const { type, ownerId, shortName } = place;
  const { loaded, reload } = useLoaded({
    key: `${cloud} ${type}/${ownerId}/${shortName}`,
    load: (signal) => latestRun(api, { cloud, place, signal }),
    isTouchedBy: (event) =>
      event.type.startsWith("environment.initialization.") &&
      event.subject.startsWith(`${type}/${ownerId}/${shortName}`),
  });
  const { value: run, error, isLoading } = loaded.value;
  const isUnderWay = run?.status === "InProgress";
  const operations = cloud === "provider-a" ? api.environments.providerA : api.environments.providerB;
  return (
    <section class="sheet" aria-labelledby={cloud}>
      <h2 id={cloud}>{words.title(texts.clouds[cloud] ?? cloud)}</h2>
      <FailureNotice error={error} />
      {run === null && isLoading && <Waiting />}
      {run === null && !isLoading && error === null && <p class="small">{words.never}</p>}
      {run !== null && <RunView run={run} />}
      {isUnderWay && may("Admin") && (
        <AskedButton
          label={words.cancel}
          ask={words.cancelAsk}
          done={null}
          act={async () => {
            await operations.cancel(place);
            await reload();
          }}
        />
      )}
      {!isUnderWay && may("Admin") && <InitializationForm cloud={cloud} place={place} run={run} onBegun={reload} />}
      {cloud === "provider-a" && may("Admin") && <DeviceSignIn place={place} />}
      {may("Admin") && <CloudLocations cloud={cloud} place={place} target={run?.target ?? ""} />}
    </section>
  );
}

interface RunRead {
  readonly cloud: InitializedCloud;
  readonly place: EnvironmentPlace;
  readonly signal: AbortSignal;
}

/** The latest run; `null` if there was none. */
async function latestRun(api: Api, { cloud, place, signal }: RunRead): Promise<Run | null> {
  const { status } = cloud === "provider-a" ? api.environments.providerA : api.environments.providerB;
  return (await ifFound(status(place, { signal })))?.initializationRun ?? null;
}

function RunView({ run: { status, target, region, steps, updatedAt } }: { readonly run: Run }) {
  const done = steps.filter((step) => step.status === "Completed").length;
  return (
    <>
      <p role="status" class="line">
        <StateWord tone={runTones[status]}>{environmentTexts.environments.runs[status]}</StateWord>
        <code>
          {target} {region !== null && `(${region})`}
        </code>
        <span class="small">
          <Instant at={updatedAt} />
        </span>
      </p>
      {status === "InProgress" && <progress value={done} max={steps.length} aria-label={words.progress} />}
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.name} class={step.status.toLowerCase()}>
            <span class="line">
              <span>{words.steps[step.name] ?? (step.description || step.name)}</span>
              <StateWord tone={runTones[step.status]}>{words.states[step.status]}</StateWord>
            </span>
            {step.resourceName !== null && <code class="small">{step.resourceName}</code>}
            {step.retryCount > 0 && <span class="small"> {words.retries(step.retryCount)}</span>}
            {step.message !== null && <p class="small">{step.message}</p>}
          </li>
        ))}
      </ol>
    </>
  );
}
