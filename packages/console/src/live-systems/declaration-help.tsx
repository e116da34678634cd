import { liveSystemTexts } from "../texts/live-system-texts.ts";

const words = liveSystemTexts.declaration;

/** The members of a declaration. */
export function DeclarationHelp() {
  return (
    <details class="help">
      <summary>{words.help}</summary>
      <p>
        {words.yaml} {words.keys}
      </p>
      <dl>
        {Object.entries(words.members).map(([name, what]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
