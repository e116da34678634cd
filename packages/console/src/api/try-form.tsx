import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { OwnServer } from "../app/server-door.ts";
import { useWorkplace } from "../app/workplace.ts";
import { CopyLine } from "../parts/copy-line.tsx";
import { TextField } from "../parts/text-field.tsx";
import { apiTexts } from "../texts/api-texts.ts";
import type { DescribedApi, DescribedOperation, DescribedParameter } from "./described.ts";
import { Disclosure } from "./disclosure.tsx";
import { exampleOf } from "./examples.ts";
import { curlLine, type FormField, requestOf, type WantedRequest } from "./request.ts";

const words = apiTexts;

interface TryFormProps {
  readonly operation: DescribedOperation;
  readonly api: DescribedApi;
  readonly ownId: string;
}

/** A request that was sent, and its answer so far. */
interface Trial {
  readonly curl: string;
  readonly state: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Sends an operation with the signed-in account's session, and shows the answer. */
export function TryForm({ operation, api, ownId }: TryFormProps) {
  const { method, path, security, parameters } = operation;
  const { server } = useWorkplace();
  const trial = useSignal<Trial | null>(null);
  const isBusy = useSignal(false);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const headers = parameters.filter((one) => one.in === "header");
  const others = parameters.filter((one) => one.in !== "header");

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement) || server === null || isBusy.value) return;
    const wanted = requestOf(method, path, fieldsOf(form, parameters));
    const curl = curlLine(wanted, server.address);
    stop.current = new AbortController();
    isBusy.value = true;
    await exchange({ server, wanted, signal: stop.current.signal }, (known) => (trial.value = { ...known, curl }));
    isBusy.value = false;
  }

  return (
    <>
      <form class="action stack try" aria-label={words.formOf(operation.operationId)} onSubmit={submit}>
        <p class="small">{words.asYou}</p>
        {security.some((kind) => "challenge" in kind) && (
          <TextField name="challenge" label={words.challenge} hint={words.challengeHint} isRequired />
        )}
        {others.map((one) => (
          <ParameterField key={`${one.in}:${one.name}`} parameter={one} api={api} ownId={ownId} />
        ))}
        <BodyField operation={operation} api={api} />
        {headers.length > 0 && (
          <details>
            <summary>{words.headers}</summary>
            {headers.map((one) => (
              <ParameterField key={one.name} parameter={one} api={api} ownId={ownId} />
            ))}
          </details>
        )}
        <div class="buttons">
          <button type="submit" aria-disabled={isBusy.value}>
            {words.send}
          </button>
          {isBusy.value && (
            <button type="button" class="quiet" onClick={() => stop.current.abort()}>
              {words.stop}
            </button>
          )}
        </div>
      </form>
      <p role="status">{trial.value?.state ?? ""}</p>
      {trial.value !== null && <Answer trial={trial.value} />}
    </>
  );
}

interface Exchange {
  readonly server: OwnServer;
  readonly wanted: WantedRequest;
  readonly signal: AbortSignal;
}

/** Sends a request, and reports the answer as it arrives, so that event streams can be watched. */
async function exchange(
  { server, wanted, signal }: Exchange,
  tell: (known: Omit<Trial, "curl">) => void,
): Promise<void> {
  const begun = performance.now();
  const elapsed = () => Math.round(performance.now() - begun);
  let known: Omit<Trial, "curl"> = { state: words.sending, headers: [], body: "" };
  const learn = (more: Partial<Trial>) => {
    known = { ...known, ...more };
    tell(known);
  };
  learn({});
  try {
    const { method, headers, body, path } = wanted;
    const answer = await server.send(path, { method, headers, body, signal, cache: "no-store" });
    const id = answer.headers.get("x-request-id");
    learn({ state: words.answered(answer.status, answer.statusText, elapsed(), id), headers: [...answer.headers] });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      learn({ body: known.body + part.value });
    if (answer.headers.get("content-type")?.includes("json") === true)
      learn({ body: JSON.stringify(JSON.parse(known.body), null, 2) });
  } catch (error) {
    learn({ state: signal.aborted ? words.stopped(elapsed()) : String(error) });
  }
}

function Answer({ trial: { curl, headers, body } }: { readonly trial: Trial }) {
  return (
    <>
      <Disclosure summary={words.curl} content={() => <CopyLine line={curl} />} />
      {headers.length > 0 && (
        <Disclosure
          summary={words.answerHeaders}
          content={() => (
            <dl class="members">
              {headers.map(([name, value]) => (
                <div key={name}>
                  <dt>
                    <code>{name}</code>
                  </dt>
                  <dd class="small">{value}</dd>
                </div>
              ))}
            </dl>
          )}
        />
      )}
      {body !== "" && <pre class="answer">{body}</pre>}
    </>
  );
}

function BodyField({ operation: { requestBody }, api: { schemas } }: Pick<TryFormProps, "operation" | "api">) {
  const media = requestBody?.content["application/json"];
  if (media === undefined) return null;
  const value = media.example ?? exampleOf(media.schema, schemas, "required");
  return <TextField name="body" label={words.bodyField} kind="text" value={JSON.stringify(value, null, 2)} />;
}

interface ParameterFieldProps {
  readonly parameter: DescribedParameter;
  readonly api: DescribedApi;
  readonly ownId: string;
}

/** A path parameter is prefilled from the example, an owner with the signed-in account; others are empty. */
function ParameterField({ parameter, api: { schemas }, ownId }: ParameterFieldProps) {
  const { name, in: place, required, schema } = parameter;
  const values = schema.type === "boolean" ? ["true", "false"] : schema.enum?.map(String);
  const example = name === "ownerId" ? ownId : String(exampleOf(schema, schemas, "required"));
  const given = place === "path" ? example : "";
  const field = `${place}:${name}`;
  const label = `${name} (${words.place(place)}${required ? `, ${words.required}` : ""})`;
  if (values === undefined)
    return (
      <TextField
        name={field}
        label={label}
        kind={isSecret(parameter) ? "secret" : "line"}
        value={given}
        hint={isList(parameter) ? words.several : ""}
        {...(required && { isRequired: true })}
      />
    );
  return (
    <label>
      {label}
      <select name={field} required={required}>
        {!required && <option value="">{words.noValue}</option>}
        {values.map((value) => (
          <option key={value} selected={value === given}>
            {value}
          </option>
        ))}
      </select>
    </label>
  );
}

const isList = ({ schema }: DescribedParameter) => schema.type === "array";
const isSecret = ({ schema }: DescribedParameter) => schema.format === "password";

function fieldsOf(form: HTMLFormElement, parameters: readonly DescribedParameter[]): FormField[] {
  return [...new FormData(form)].map(([name, value]) => {
    const parameter = parameters.find((one) => name === `${one.in}:${one.name}`);
    return {
      name,
      value: String(value),
      ...(parameter && { isList: isList(parameter), isSecret: isSecret(parameter) }),
    };
  });
}
