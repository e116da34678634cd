import { isLiveplaneError } from "@liveplane/client";
import { texts } from "../texts.ts";

/** An error for people: what went wrong, where, and what to tell the operators. */
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

/** An error's text for people; for a conflict it says what to do. */
function explained(error: unknown): string {
  // A mistake in typed text, found by the page itself.
  if (error instanceof SyntaxError) return texts.failure.notJson(error.message);
  if (error instanceof RangeError) return error.message;
  if (!isLiveplaneError(error)) return texts.failure.ofPage(String(error));
  return texts.failure.byCode[error.code] ?? error.message;
}
