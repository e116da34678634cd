import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { PageHead } from "../parts/page-head.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { UnreadPage } from "../parts/unread-page.tsx";
import { apiTexts } from "../texts/api-texts.ts";
import { type DescribedApi, fittingOperations, readDocument } from "./described.ts";
import { OperationView } from "./operation-view.tsx";
import { Sentence } from "./sentence.tsx";

const words = apiTexts;

/** The API reference: all operations, or the one in the address. */
export function ApiPage() {
  const { api, server, address } = useWorkplace();
  const { loaded } = useLoaded({
    key: "api",
    load: async (signal) => {
      const [answer, { id }] = await Promise.all([server?.send("openapi.json", { signal }), api.accounts.me()]);
      return { described: readDocument(await answer?.json()), ownId: id };
    },
  });
  if (server === null || address === null) return <p class="empty">{words.elsewhere}</p>;
  const { value, error } = loaded.value;
  if (value === null) return <UnreadPage title={words.title} error={error} />;
  const { described, ownId } = value;
  const [wanted] = address.place.value.segments;
  if (wanted === undefined) return <OperationList api={described} />;
  const operation = described.operations.find(({ operationId }) => operationId === wanted);
  if (operation !== undefined) return <OperationView operation={operation} api={described} ownId={ownId} />;
  return <UnreadPage title={words.title} error={new RangeError(words.missing)} />;
}

function OperationList({ api }: { readonly api: DescribedApi }) {
  const { address, server } = useWorkplace();
  const { find = "" } = address?.place.value.query ?? {};
  const found = fittingOperations(api.operations, find);
  const areas = api.areas
    .map((area) => ({ ...area, operations: found.filter(({ tags }) => tags.includes(area.name)) }))
    .filter(({ operations }) => operations.length > 0);
  return (
    <>
      <PageHead title={words.title}>
        <search class="filters">
          <SearchField
            label={words.find}
            value={find}
            hint={words.findHint}
            onType={(text) => address?.filter({ find: text })}
          />
          <p role="status" class="count">
            {words.count(found.length)}
          </p>
          <a href={`${server?.address}openapi.json`}>{words.document}</a>
        </search>
      </PageHead>
      {areas.length === 0 && <p class="empty">{words.none}</p>}
      {areas.map(({ name, description, operations }) => (
        <section class="sheet" key={name} aria-labelledby={`area-${name}`}>
          <h2 id={`area-${name}`}>{name}</h2>
          <p class="small">
            <Sentence text={description} />
          </p>
          <ul class="operations">
            {operations.map(({ operationId, method, path, summary }) => (
              <li key={operationId}>
                <a href={linkTo("api", [operationId])} title={`${method} ${path}`}>
                  {operationId}
                </a>{" "}
                <Sentence text={summary} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
