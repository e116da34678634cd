import { AsyncLocalStorage } from "node:async_hooks";
import { isLiveplaneError } from "../../src/errors.ts";
import type { SpanBegin, SpanEnd, Tracer } from "../../src/ports/runtime.ts";
import type { ToldSpan } from "../../src/testing/tracer-conformance.ts";

interface Around {
  readonly id: string;
  readonly traceId: string;
}

type Flaw =
  | ("losesWork" | "repeatsWork" | "waitsFirst" | "swallowsFailures" | "forgetsParents" | "keepsOneParent")
  | ("ignoresRoots" | "ignoresFarAway" | "trustsAnyParent" | "tellsMessages" | "tellsStrangersCodes")
  | ("ignoresEnds" | "tellsWhatWasGiven" | "dropsFields" | "tellsAtTheBegin");

/** What a tracer gets wrong. */
export type TracerFlaws = { readonly [Name in Flaw]?: true };

/** A tracer that keeps its spans, on Node's own means. */
export function recordedSpans(flaws: TracerFlaws = {}) {
  const around = new AsyncLocalStorage<Around>();
  const spans: ToldSpan[] = [];
  let last: Around | undefined;
  let made = 0;

  function parentOf({ isRoot, parent }: SpanBegin): Around | undefined {
    const here = flaws.keepsOneParent ? last : around.getStore();
    if (flaws.forgetsParents || (isRoot && !flaws.ignoresRoots)) return undefined;
    return here ?? (flaws.ignoresFarAway ? undefined : farAway(parent, flaws));
  }

  function during<T>(begin: SpanBegin, work: () => Promise<T>, endOf?: (given: T) => SpanEnd): Promise<T> {
    const parent = parentOf(begin);
    made += 1;
    const own: Around = { id: `span-${made}`, traceId: parent?.traceId ?? `trace-${made}` };
    last = own;
    const { name, fields } = begin;
    const tell = (code: string | null, more: readonly unknown[] = []) => {
      const said = [name, !flaws.dropsFields && fields, code, ...more];
      spans.push({ ...own, name, parentId: parent?.id ?? null, code, text: JSON.stringify(said) });
    };
    const carriedOut = async () => {
      if (flaws.waitsFirst) await Promise.resolve();
      if (flaws.repeatsWork) await work();
      const given = flaws.losesWork ? undefined : await work();
      return given as T;
    };
    if (flaws.tellsAtTheBegin) tell(null);
    return around.run(own, carriedOut).then(
      (given) => {
        const { code = null, outcome = null } = flaws.ignoresEnds ? {} : (endOf?.(given) ?? {});
        if (!flaws.tellsAtTheBegin) tell(code, [outcome, flaws.tellsWhatWasGiven && given]);
        return given;
      },
      (error: unknown) => {
        const own = isLiveplaneError(error) || flaws.tellsStrangersCodes;
        const code = own ? String(Reflect.get(Object(error), "code")) : "InternalError";
        tell(code, [flaws.tellsMessages && String(error)]);
        if (flaws.swallowsFailures) return undefined as T;
        throw error;
      },
    );
  }

  return { tracer: { during } satisfies Tracer, told: () => spans };
}

const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

function farAway(parent: string | undefined, { trustsAnyParent }: TracerFlaws): Around | undefined {
  const [, traceId, id] = traceparent.exec(parent ?? "") ?? [];
  if (traceId !== undefined && id !== undefined) return { traceId, id };
  return trustsAnyParent && parent !== undefined ? { traceId: parent, id: parent } : undefined;
}
