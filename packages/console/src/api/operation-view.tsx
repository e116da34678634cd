import { linkTo } from "../app/address.ts";
import { PageHead } from "../parts/page-head.tsx";
import { apiTexts } from "../texts/api-texts.ts";
import type {
  DescribedAnswer,
  DescribedApi,
  DescribedMedia,
  DescribedOperation,
  DescribedParameter,
} from "./described.ts";
import { Disclosure } from "./disclosure.tsx";
import { exampleOf } from "./examples.ts";
import { MemberHead, NamedSchema, SchemaTree } from "./schema-tree.tsx";
import { Sentence } from "./sentence.tsx";
import { TryForm } from "./try-form.tsx";

const words = apiTexts;

interface OperationViewProps {
  readonly operation: DescribedOperation;
  readonly api: DescribedApi;
  /** The signed-in account's ID, to fill in as an owner. */
  readonly ownId: string;
}

/** Everything about an operation, and a form to send it. */
export function OperationView({ operation, api, ownId }: OperationViewProps) {
  const { operationId, method, path, description, deprecated, parameters } = operation;
  const inAddress = parameters.filter((one) => one.in !== "header");
  const headers = parameters.filter((one) => one.in === "header");
  return (
    <>
      <PageHead title={operationId} within={<a href={linkTo("api")}>{words.all}</a>}>
        {deprecated === true && <span class="badge">{words.deprecated}</span>}
      </PageHead>
      <p>
        <code>
          <strong>{method}</strong> {path}
        </code>
      </p>
      <p>
        <Sentence text={description} /> <span class="small">{credentialOf(operation)}</span>
      </p>
      <div class="halves">
        <div>
          {inAddress.length > 0 && (
            <section class="sheet" aria-labelledby="parameters">
              <h2 id="parameters">{words.parameters}</h2>
              <Parameters parameters={inAddress} />
            </section>
          )}
          <RequestBody operation={operation} api={api} />
          <section class="sheet" aria-labelledby="try">
            <h2 id="try">{words.tryIt}</h2>
            <TryForm operation={operation} api={api} ownId={ownId} />
          </section>
        </div>
        <div>
          <Answers operation={operation} api={api} />
          {headers.length > 0 && (
            <section class="sheet" aria-labelledby="headers">
              <h2 id="headers">{words.headers}</h2>
              <Parameters parameters={headers} />
            </section>
          )}
        </div>
      </div>
    </>
  );
}

function credentialOf({ security }: DescribedOperation): string {
  const [first] = security;
  if (first === undefined) return words.credentials.none;
  return "challenge" in first ? words.credentials.challenge : words.credentials.token;
}

function Parameters({ parameters }: { readonly parameters: readonly DescribedParameter[] }) {
  return (
    <ul class="members">
      {parameters.map(({ name, in: place, required, description, schema }) => (
        <li key={`${place}:${name}`}>
          <MemberHead name={name} schema={schema} isRequired={required} place={place} />
          {description !== undefined && (
            <p>
              <Sentence text={description} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The JSON media type, or else the first one. */
function jsonMedia(
  content: Readonly<Record<string, DescribedMedia>> = {},
): readonly [string, DescribedMedia] | undefined {
  return Object.entries(content).find(([type]) => type.includes("json")) ?? Object.entries(content)[0];
}

type OperationProps = Pick<OperationViewProps, "operation" | "api">;

function RequestBody({ operation: { requestBody }, api: { schemas } }: OperationProps) {
  const media = jsonMedia(requestBody?.content)?.[1];
  if (requestBody === undefined || media === undefined) return null;
  const { $ref } = media.schema;
  return (
    <section class="sheet" aria-labelledby="body">
      <h2 id="body">{words.body}</h2>
      <p>
        <code>{Object.keys(requestBody.content).join(", ")}</code>{" "}
        {requestBody.required ? words.isRequired : words.isOptional} {requestBody.description}
      </p>
      {$ref === undefined ? (
        <SchemaTree schema={media.schema} schemas={schemas} />
      ) : (
        <NamedSchema name={$ref.slice($ref.lastIndexOf("/") + 1)} schemas={schemas} />
      )}
      <Example value={media.example ?? exampleOf(media.schema, schemas, "required")} />
    </section>
  );
}

function Answers({ operation: { answers }, api }: OperationProps) {
  const errors = answers.filter(({ name }) => name !== undefined);
  return (
    <section class="sheet" aria-labelledby="answers">
      <h2 id="answers">{words.answers}</h2>
      {answers
        .filter(({ name }) => name === undefined)
        .map((answer) => (
          <Success key={answer.status} answer={answer} api={api} />
        ))}
      <Disclosure
        summary={words.errors(errors.map(({ status }) => status).join(", "))}
        content={() => (
          <>
            <p>{words.problem}</p>
            <SchemaTree schema={{ $ref: "#/components/schemas/Problem" }} schemas={api.schemas} />
            <ul class="members">
              {errors.map(({ status, description, "x-codes": codes = [] }) => (
                <li key={status}>
                  <strong>{status}</strong> <code>{codes.join(", ")}</code>
                  <p>
                    <Sentence text={description} />
                  </p>
                </li>
              ))}
            </ul>
          </>
        )}
      />
    </section>
  );
}

interface SuccessProps {
  readonly answer: DescribedAnswer;
  readonly api: DescribedApi;
}

function Success({ answer: { status, description, content }, api: { schemas } }: SuccessProps) {
  const [type, media] = jsonMedia(content) ?? [];
  return (
    <>
      <p>
        <strong>{status}</strong> {description} <code>{type}</code>
      </p>
      {media !== undefined && (
        <>
          <SchemaTree schema={media.schema} schemas={schemas} />
          <Example value={media.example ?? exampleOf(media.schema, schemas, "all")} />
        </>
      )}
    </>
  );
}

function Example({ value }: { readonly value: unknown }) {
  return <Disclosure summary={words.example} content={() => <pre>{JSON.stringify(value, null, 2)}</pre>} />;
}
