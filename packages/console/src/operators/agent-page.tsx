import { useLoaded } from "../app/loaded.ts";
import type { ServerDoor } from "../app/server-door.ts";
import { useWorkplace } from "../app/workplace.ts";
import { Rows } from "../parts/listing.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { StateWord } from "../parts/state-word.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { operatorTexts } from "../texts/operator-texts.ts";
import { texts } from "../texts.ts";
import { type CloudFigures, type Figure, figuresByCloud, parseFigures, sumOf } from "./agent-figures.ts";

const words = operatorTexts.agent;
/** Metrics change without events, so they are polled. */
const lookMs = 5000;

/** The state of this process's agent: whether it is on schedule, and what clouds answer. For operators. */
export function AgentPage() {
  const { door } = useWorkplace();
  return (
    <>
      <PageHead title={words.title}>{door === null && operatorTexts.people.none}</PageHead>
      {door !== null && <AgentFigures door={door} />}
    </>
  );
}

function AgentFigures({ door }: { readonly door: ServerDoor }) {
  const { loaded } = useLoaded({
    key: "figures",
    load: async () => {
      const [ready, text] = await Promise.all([door.ask("GET", "readyz"), door.ask("GET", "metrics")]);
      return { ready: ready as Readonly<Record<string, unknown>>, figures: parseFigures(String(text)) };
    },
    againMs: lookMs,
  });
  const { value, error } = loaded.value;
  if (value === null) return error === null ? <Waiting /> : <FailureNotice error={error} />;
  const { ready, figures } = value;
  return (
    <>
      <p class="small">{words.scope}</p>
      <FailureNotice error={error} />
      <ul class="figures" aria-label={words.ready}>
        {Object.entries(words.readyParts).map(([name, title]) => (
          <li key={name}>
            <StateWord tone={ready[name] === true ? "good" : "bad"}>
              {title}: {ready[name] === true ? words.yes : words.no}
            </StateWord>
          </li>
        ))}
      </ul>
      <section class="sheet" aria-labelledby="sweep">
        <h2 id="sweep">{words.figures}</h2>
        <dl class="figures">
          {Object.entries(words.rows).map(([name, title]) => (
            <div key={name}>
              <dt>{title}</dt>
              <dd>{figureOf(figures, name)}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section class="sheet" aria-labelledby="clouds">
        <h2 id="clouds">{words.clouds}</h2>
        <CloudTable clouds={figuresByCloud(figures)} />
      </section>
      <section class="sheet" aria-labelledby="failures">
        <h2 id="failures">{words.failures}</h2>
        <p class="small">{words.counted}</p>
        <FailureTable figures={figures} />
      </section>
    </>
  );
}

function CloudTable({ clouds }: { readonly clouds: readonly CloudFigures[] }) {
  if (clouds.length === 0) return <p>{words.unused}</p>;
  return (
    <Rows caption={words.clouds} columns={words.cloudColumns}>
      {clouds.map((cloud) => (
        <tr key={cloud.provider}>
          <th scope="row">{texts.clouds[cloud.provider] ?? cloud.provider}</th>
          {[
            cloud.checks,
            cloud.calls,
            cloud.failed,
            cloud.throttled,
            seconds(cloud.heldSeconds),
            cloud.meanSeconds === null ? "" : seconds(cloud.meanSeconds),
            cloud.drifting,
            cloud.corrected,
          ].map((cell, at) => (
            <td key={words.cloudColumns[at + 1]} data-column={words.cloudColumns[at + 1]}>
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </Rows>
  );
}

function FailureTable({ figures }: { readonly figures: readonly Figure[] }) {
  const failed = figures.filter(
    ({ name, labels }) => name === "liveplane_cloud_calls_total" && labels.outcome !== "ok",
  );
  if (failed.length === 0) return <p>{words.noFailures}</p>;
  return (
    <Rows caption={words.failures} columns={words.failureColumns}>
      {failed.map(({ labels: { provider = "", kind, outcome }, value }) => (
        <tr key={`${provider} ${kind} ${outcome}`}>
          <td>{texts.clouds[provider] ?? provider}</td>
          <td>{kind}</td>
          <td>{outcome}</td>
          <td>{value}</td>
        </tr>
      ))}
    </Rows>
  );
}

/** A metric that hasn't been counted isn't zero. */
function figureOf(figures: readonly Figure[], name: string): string {
  if (!figures.some((one) => one.name === name)) return words.unknown;
  const sum = sumOf(figures, name);
  return name.endsWith("_seconds") ? seconds(sum) : String(sum);
}

function seconds(value: number): string {
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  return value < 100 ? `${value.toFixed(1)} s` : `${Math.round(value / 60)} min`;
}
