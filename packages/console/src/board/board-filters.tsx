import { ChoiceField } from "../parts/choice-field.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { texts } from "../texts.ts";
import { type BoardOverride, fullNameOf, lanes } from "./override-lanes.ts";
import { groupings } from "./override-order.ts";

const words = texts.board;

interface BoardFiltersProps {
  readonly all: readonly BoardOverride[];
  readonly query: Readonly<Record<string, string>>;
  readonly filter: (changes: Readonly<Record<string, string>>) => void;
}

/** The board's filters. They are in the address, so a bookmark saves them and a link shares them. */
export function BoardFilters({ all, query, filter }: BoardFiltersProps) {
  const environments = [...new Set(all.map(({ environmentId }) => fullNameOf(environmentId)))].toSorted();
  const choose = (name: string) => (value: string) => filter({ [name]: value });
  return (
    <search class="filters">
      <SearchField label={words.search} value={query.q} hint={words.searchHint} onType={choose("q")} />
      <ChoiceField
        label={words.environment}
        value={query.environment}
        onChoose={choose("environment")}
        options={environments.map((name) => [name, name.slice(name.lastIndexOf("/") + 1)])}
      />
      <ChoiceField
        label={words.lane}
        value={query.lane}
        onChoose={choose("lane")}
        options={lanes.map((name) => [name, words.lanes[name]])}
      />
      {query.view === "table" && (
        <ChoiceField
          label={words.group}
          value={query.group}
          onChoose={choose("group")}
          options={groupings.map((name) => [name, words.groups[name]])}
          none={words.noGroup}
        />
      )}
      <fieldset class="views">
        <legend class="hidden">{words.view}</legend>
        {(["", "table"] as const).map((view) => (
          <button
            key={view}
            type="button"
            class="plain"
            aria-pressed={(query.view ?? "") === view}
            onClick={() => filter({ view })}
          >
            {words.views[view]}
          </button>
        ))}
      </fieldset>
    </search>
  );
}
