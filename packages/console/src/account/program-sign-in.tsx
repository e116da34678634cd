import { useSignal } from "@preact/signals";
import { useWorkplace } from "../app/workplace.ts";
import { useAction } from "../parts/action.tsx";
import { CopyLine } from "../parts/copy-line.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { programTexts as words } from "../texts/program-texts.ts";
import { texts } from "../texts.ts";

/** Signs in a program, once its person has approved: on this computer at a port, or elsewhere by a code to copy. */
export function ProgramSignInPage() {
  const { api, address, names, ownId } = useWorkplace();
  const { isBusy, failure, run } = useAction();
  const code = useSignal<string | null>(null);
  const query = address?.place.value.query ?? {};
  const { code_challenge: codeChallenge = "", loopback: port = "", state = "" } = query;
  const isElsewhere = query.device !== undefined;
  if (!isElsewhere && !/^[1-9]\d{0,4}$/.test(port)) return <PageHead title={words.broken} />;
  if (code.value !== null)
    return (
      <>
        <PageHead title={words.take} />
        <CopyLine line={code.value} />
        <p>{words.keep}</p>
      </>
    );

  const approve = () =>
    run(async () => {
      const given = await api.sessions.authorize({ codeChallenge });
      // By number, because a name could be another machine's.
      if (isElsewhere) code.value = given.code;
      else location.replace(`http://127.0.0.1:${port}/?${new URLSearchParams({ code: given.code, state })}`);
    });
  return (
    <>
      <PageHead title={texts.titles.program} />
      <p>{isElsewhere ? words.elsewhere : words.here(port)}</p>
      <p>{words.asks(names.of(ownId ?? "") ?? ownId ?? "")}</p>
      <button type="button" aria-disabled={isBusy.value} onClick={() => void approve()}>
        {words.approve}
      </button>
      <FailureNotice error={failure.value} />
    </>
  );
}
