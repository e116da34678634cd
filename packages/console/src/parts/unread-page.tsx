import { FailureNotice } from "./notice.tsx";
import { PageHead } from "./page-head.tsx";
import { Waiting } from "./waiting.tsx";

interface UnreadPageProps {
  readonly title: string;
  /** Why it couldn't be read; `null` while it is being read. */
  readonly error: unknown;
}

/** A page for something that can't be shown, yet or at all. */
export function UnreadPage({ title, error }: UnreadPageProps) {
  return (
    <>
      <PageHead title={title} />
      {error === null ? <Waiting /> : <FailureNotice error={error} />}
    </>
  );
}
