import { linkTo } from "../app/address.ts";
import { KeyTerms } from "../parts/key-terms.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { helpTexts as words } from "../texts/help-texts.ts";

/** The words and keys of the console, and where to read more. */
export function HelpPage() {
  return (
    <>
      <PageHead title={words.title} />
      <div class="halves">
        <section class="sheet terms" aria-labelledby="words">
          <h2 id="words">{words.words}</h2>
          <dl>
            {words.wordList.map(([term, meaning]) => (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section class="sheet terms keys" aria-labelledby="help-keys">
          <h2 id="help-keys">{words.keys}</h2>
          <KeyTerms />
        </section>
        <section class="sheet" aria-labelledby="guides">
          <h2 id="guides">{words.guides}</h2>
          <p class="small">{words.guidesHelp}</p>
          <ul class="columns">
            {words.guideList.map(([title, href]) => (
              <li key={href}>
                <a href={href} target="_blank" rel="noreferrer">
                  {title}
                </a>
              </li>
            ))}
            <li>
              <a href={linkTo("api")}>{words.api}</a>
            </li>
          </ul>
        </section>
      </div>
    </>
  );
}
