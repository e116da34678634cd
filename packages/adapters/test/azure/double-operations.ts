/** An operation that was begun. */
interface Begun {
  readonly subscription: string;
  readonly startedAt: number;
  readonly until: number;
  readonly fails: { readonly code: string; readonly message: string } | null;
  readonly retryAfterSeconds: number;
}

/** The operations of the double: each is told of at two addresses, that of its state and that of its result. */
export function doubleOperations(now: () => number) {
  const begun: Begun[] = [];

  return {
    /** Gives the path at which it is followed. */
    begin(operation: Begun) {
      const id = `00000000-0000-4000-9000-${String(begun.push(operation)).padStart(12, "0")}`;
      return (tells: string) =>
        `/subscriptions/${operation.subscription}/providers/Microsoft.Resources/locations/westeurope/${tells === "state" ? "operationStatuses" : "operationResults"}/${id}?api-version=2025-04-01&t=638`;
    },
    answer(path: string, url: string) {
      const found = /\/(operationStatuses|operationResults)\/[0-9a-f-]{24}(\d{12})$/.exec(path);
      if (found === null) return null;
      const operation = begun[Number(found[2]) - 1];
      if (operation === undefined)
        return {
          status: 404,
          headers: {},
          body: { error: { code: "NotFound", message: "There is no such operation." } },
        };
      const { startedAt, until, fails, retryAfterSeconds } = operation;
      const isDone = until <= now();
      const pace = { "retry-after": String(retryAfterSeconds), "x-ms-request-id": `operation-${found[2]}` };
      if (found[1] === "operationStatuses") {
        const percentComplete = Math.floor(Math.min(1, (now() - startedAt) / Math.max(1, until - startedAt)) * 100);
        const end = fails === null ? "Succeeded" : "Failed";
        const status = isDone ? end : "InProgress";
        return {
          status: 200,
          headers: pace,
          body: { id: path, name: found[2], status, percentComplete, ...(isDone && fails && { error: fails }) },
        };
      }
      if (!isDone)
        return {
          status: 202,
          headers: { ...pace, location: `${url}${path}?api-version=2025-04-01&t=638` },
          body: null,
        };
      return fails === null
        ? { status: 200, headers: pace, body: {} }
        : { status: 409, headers: pace, body: { error: fails } };
    },
  };
}
