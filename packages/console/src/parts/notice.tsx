import { isLiveplaneError } from "@liveplane/client";
import { texts } from "../texts.ts";

/** What went wrong, in words: what it was, at which places, and what to tell anyone who runs the service. */
export function FailureNotice({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <div class="notice failed" role="alert">
      <p>{explained(error)}</p>
      {isLiveplaneError(error) && (
        <>
          {error.details.errors !== undefined && (
            <ul>
              {error.details.errors.map(({ pointer, detail }, at) => (
                <li key={at}>
                  {pointer !== undefined && <code>{pointer}</code>} {detail}
                </li>
              ))}
            </ul>
          )}
          {error.requestId !== undefined && <p class="small">{texts.failure.request(error.requestId)}</p>}
        </>
      )}
    </div>
  );
}

/** A failure in words for people: a conflict says what to do about it. */
function explained(error: unknown): string {
  // What a person typed, and what the page itself refuses.
  if (error instanceof SyntaxError) return texts.failure.notJson(error.message);
  if (error instanceof RangeError) return error.message;
  if (!isLiveplaneError(error)) return texts.failure.ofPage(String(error));
  return texts.failure.byCode[error.code] ?? error.message;
}
