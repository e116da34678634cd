import { overviewTexts } from "../texts/overview-texts.ts";

/** The keys of the whole console. */
export function KeyTerms() {
  return (
    <dl>
      {overviewTexts.keys.list.map(([keys, what]) => (
        <div key={keys}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}
