import { type BoardOverride, changedPlaces } from "../board/override-lanes.ts";
import { texts } from "../texts.ts";
import { Muted } from "./muted.tsx";

/** How many are shown; the page of the component has all. */
const most = 3;
const longest = 28;

/** What differs, each place with its declared and its actual value: `/workers 2 → 9`. */
export function ChangedPlaces({ component }: { readonly component: BoardOverride["component"] }) {
  const places = changedPlaces(component);
  if (component.conditions.exists.value === false) return <p class="small">{texts.board.gone}</p>;
  if (places.length === 0) return <p class="small">{texts.board.same}</p>;
  const rest = places.slice(most);
  return (
    <ul class="changed-places">
      {places.slice(0, most).map(({ place, declared, actual, isMuted }) => (
        <li key={place}>
          <code>{place}</code> <Brief value={declared} /> <span aria-hidden="true">→</span>
          <span class="hidden">{texts.board.isNow}</span>{" "}
          <strong>
            <Brief value={actual} />
          </strong>{" "}
          <Muted isMuted={isMuted} />
        </li>
      ))}
      {rest.length > 0 && (
        <li class="small">{texts.board.others(rest.length, rest.filter(({ isMuted }) => isMuted).length)}</li>
      )}
    </ul>
  );
}

/** The beginning of a value, on one line. */
function Brief({ value }: { readonly value: unknown }) {
  if (value === undefined || value === null) return <span class="small">{texts.parts.notSet}</span>;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= longest) return <code>{text || '""'}</code>;
  return <code title={text}>{text.slice(0, longest)}…</code>;
}
