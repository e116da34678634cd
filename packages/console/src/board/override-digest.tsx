import type { Api } from "@liveplane/client";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import { Instant } from "../parts/instant.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { texts } from "../texts.ts";
import { touchesBoard } from "./override-lanes.ts";

const words = texts.board;

type DigestRow = Awaited<ReturnType<Api["overrides"]["digest"]>>["items"][number];

/** The same parameter changed on many components, as one row. */
export function OverrideDigest() {
  const { api, address } = useWorkplace();
  const { loaded } = useLoaded({
    key: "digest",
    load: async (signal) => (await api.overrides.digest({ limit: 50, signal })).items,
    isTouchedBy: touchesBoard,
  });
  const { value, error } = loaded.value;
  return (
    <aside class="digest" aria-labelledby="digest">
      <h2 id="digest">{words.digest}</h2>
      <p class="small">{words.digestHelp}</p>
      <FailureNotice error={error} />
      {value?.length === 0 && <p>{words.digestNone}</p>}
      <ul>
        {value?.map((row) => (
          <li key={`${row.type} ${row.parameter}`}>
            <Row row={row} onChoose={address && (() => address.filter({ q: row.parameter }))} />
          </li>
        ))}
      </ul>
    </aside>
  );
}

function Row({ row, onChoose }: { readonly row: DigestRow; readonly onChoose: (() => void) | null }) {
  const { type, parameter, count, oldestSince } = row;
  return (
    <>
      {onChoose === null ? (
        <code>{parameter}</code>
      ) : (
        <button type="button" class="plain" onClick={onChoose}>
          <code>{parameter}</code>
        </button>
      )}
      <span class="small">{words.digestCount(count)}</span>
      <span class="small">{type.split("@")[0]}</span>
      <span class="small">
        {words.oldest} <Instant at={oldestSince} />
      </span>
    </>
  );
}
