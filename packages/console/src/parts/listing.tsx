import type { LiveplaneEvent } from "@liveplane/client";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLoaded } from "../app/loaded.ts";
import { texts } from "../texts.ts";
import { FailureNotice } from "./notice.tsx";
import { Waiting } from "./waiting.tsx";

/** What is listed, and how its rows look. */
export interface ListingProps<Item> {
  /** Identifies the list: another name starts over. */
  readonly name: string;
  /** What narrows the list: another reads again, and the rows stay until then. */
  readonly narrowing?: string;
  readonly all: (signal: AbortSignal) => AsyncIterable<Item>;
  readonly isTouchedBy: (event: LiveplaneEvent) => boolean;
  readonly caption: string;
  readonly columns: readonly string[];
  readonly cells: (item: Item) => readonly ComponentChildren[];
  readonly keyOf: (item: Item) => string;
  /** The text of an empty list. */
  readonly none: string;
  /** How many rows are shown at a time. @default 100 */
  readonly lot?: number;
  /** Reads again this often while the page is seen: for what changes without an event. */
  readonly againMs?: number;
}

/** A live list as a table, shown in portions. */
export function Listing<Item>(props: ListingProps<Item>) {
  const { name, narrowing, all, isTouchedBy, caption, columns, cells, keyOf, none, lot = 100, againMs } = props;
  const most = useSignal(lot);
  const { loaded, reload } = useLoaded({
    key: name,
    load: (signal) => firstOf(all(signal), most.value + 1),
    ...{ narrowing, isTouchedBy, againMs },
  });
  const { value, error, isLoading } = loaded.value;
  const more = () => {
    most.value += lot;
    void reload();
  };
  return (
    <>
      <FailureNotice error={error} />
      {value === null && error === null && <Waiting />}
      {value?.length === 0 && <p class="empty">{none}</p>}
      {value !== null && value.length > 0 && (
        <Rows caption={caption} columns={columns}>
          {value.slice(0, most.value).map((item) => (
            <tr key={keyOf(item)}>
              {cells(item).map((cell, at) => (
                <td key={columns[at]} data-column={columns[at]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </Rows>
      )}
      {value !== null && value.length > most.value && (
        <button type="button" class="quiet more" disabled={isLoading} onClick={more}>
          {texts.board.more}
        </button>
      )}
    </>
  );
}

interface RowsProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}

/** A table; on a narrow screen each row becomes two lines: what it is about, and the rest with labels. */
export function Rows({ caption, columns, children }: RowsProps) {
  return (
    <table class="list">
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** The first items of a list. */
export async function firstOf<Item>(all: AsyncIterable<Item>, most: number): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of all) {
    items.push(item);
    if (items.length === most) break;
  }
  return items;
}
