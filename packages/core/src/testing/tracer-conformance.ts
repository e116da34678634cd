import { LiveplaneError } from "../errors.ts";
import type { SpanBegin, Tracer } from "../ports/runtime.ts";
import { schedulerHolds as tracerHolds } from "./scheduler-laws/scheduler-under-test.ts";
import type { RegisterTest } from "./store-laws/store-conformance.ts";

/** A finished span. */
export interface ToldSpan {
  readonly name: string;
  readonly id: string;
  readonly traceId: string;
  /** `null` if it has no parent. */
  readonly parentId: string | null;
  /** The code of its failure; `null` if it didn't fail. */
  readonly code: string | null;
  /** Everything it contains, as a reader sees it. */
  readonly text: string;
}

/** A tracer without spans yet. */
export interface TracerUnderTest {
  readonly tracer: Tracer;
  /** The spans so far, in the order in which they ended. */
  told(): readonly ToldSpan[];
  /** Releases everything created for the test. */
  end?(): Promise<void> | void;
}

interface TracerLaw {
  readonly title: string;
  readonly holds: (world: TracerUnderTest) => Promise<void>;
}

/** Every law of the tracer port as a test of its own. Calls `test` once for each and needs no runner. */
export function tracerConformance(test: RegisterTest, createTracer: () => TracerUnderTest | Promise<TracerUnderTest>) {
  for (const { title, holds } of laws) {
    test(title, async () => {
      const world = await createTracer();
      try {
        await holds(world);
      } finally {
        await world.end?.();
      }
    });
  }
}

const begin = (name: string, rest: Partial<SpanBegin> = {}): SpanBegin => ({ name, fields: {}, ...rest });
const task = () => new Promise<void>((resolve) => setTimeout(resolve, 0));
const farAway = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const traceparent = `00-${farAway.traceId}-${farAway.spanId}-01`;

const laws: readonly TracerLaw[] = [
  {
    title: "gives what the work gives, which is done once and at once",
    async holds({ tracer }) {
      let times = 0;
      const given = { of: "the work" };
      const during = tracer.during(begin("work"), async () => {
        times += 1;
        return given;
      });
      tracerHolds(times === 1, "the work begun at once", times);
      tracerHolds((await during) === given && times === 1, "what it gave, once", times);
    },
  },
  {
    title: "fails with what the work fails with",
    async holds({ tracer }) {
      const failure = new LiveplaneError("StoreFailed");
      const came = await tracer.during(begin("work"), () => Promise.reject(failure)).catch((error: unknown) => error);
      tracerHolds(came === failure, "the same failure", came);
    },
  },
  {
    title: "makes a child of what is begun in the work, over every await",
    async holds({ tracer, told }) {
      await tracer.during(begin("outer"), async () => {
        await task();
        await tracer.during(begin("middle"), async () => {
          await Promise.resolve();
          await tracer.during(begin("inner"), task);
        });
      });
      const [inner, middle, outer] = named(told(), "inner", "middle", "outer");
      tracerHolds(outer.parentId === null, "no parent", outer);
      tracerHolds(middle.parentId === outer.id && inner.parentId === middle.id, "each in the one around it", told());
      tracerHolds(new Set(told().map(({ traceId }) => traceId)).size === 1, "one trace", told());
    },
  },
  {
    title: "keeps spans apart that go on beside each other",
    async holds({ tracer, told }) {
      const one = (name: string) =>
        tracer.during(begin(name), async () => {
          await task();
          await tracer.during(begin(`${name}'s`), task);
        });
      await Promise.all([one("first"), one("second")]);
      const [first, firsts] = named(told(), "first", "first's");
      const [second, seconds] = named(told(), "second", "second's");
      tracerHolds(firsts.parentId === first.id && seconds.parentId === second.id, "each its own child", told());
      tracerHolds(first.traceId !== second.traceId, "two traces", told());
      tracerHolds(first.parentId === null && second.parentId === null, "no parents", told());
    },
  },
  {
    title: "begins a trace with a root, whatever goes on around it",
    async holds({ tracer, told }) {
      await tracer.during(begin("request"), () =>
        tracer.during(begin("task", { isRoot: true, parent: traceparent }), task),
      );
      const [request, root] = named(told(), "request", "task");
      tracerHolds(root.parentId === null && root.traceId !== request.traceId, "a trace of its own", root);
    },
  },
  {
    title: "goes on with a span far away, and not within one of here",
    async holds({ tracer, told }) {
      await tracer.during(begin("outer", { parent: traceparent }), () =>
        tracer.during(begin("inner", { parent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01` }), task),
      );
      const [inner, outer] = named(told(), "inner", "outer");
      tracerHolds(outer.parentId === farAway.spanId && outer.traceId === farAway.traceId, "the parent far away", outer);
      tracerHolds(inner.parentId === outer.id, "the parent here", inner);
    },
  },
  {
    title: "takes no parent from what is none",
    async holds({ tracer, told }) {
      for (const parent of [
        "",
        "00-00-00-00",
        `00-${"0".repeat(32)}-${"0".repeat(16)}-01`,
        "x".repeat(10_000),
        "\u0000",
      ])
        await tracer.during(begin("request", { parent }), task);
      const parents = told().map(({ parentId }) => parentId);
      tracerHolds(parents.length === 5 && parents.every((id) => id === null), "five roots", parents);
    },
  },
  {
    title: "tells of a span once it has ended, and not before",
    async holds({ tracer, told }) {
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      const during = tracer.during(begin("work"), () => over);
      await task();
      tracerHolds(told().length === 0, "nothing yet", told());
      end();
      await during;
      tracerHolds(told().length === 1, "one span", told());
    },
  },
  {
    title: "tells the code of a failure, and nothing else of it",
    async holds({ tracer, told }) {
      const cause = new RangeError("hush-cause");
      const failures = [
        new LiveplaneError("StoreFailed", "hush-message", { cause, details: { errors: [] } }),
        Object.assign(new RangeError("hush-message"), { code: "hush-code", more: "hush-more" }),
        "hush-text",
      ];
      for (const failure of failures) await tracer.during(begin("work"), () => Promise.reject(failure)).catch(() => {});
      const codes = told().map(({ code }) => code);
      tracerHolds(codes.join() === "StoreFailed,InternalError,InternalError", "codes", codes);
      const text = told()
        .map((span) => span.text)
        .join();
      tracerHolds(!text.includes("hush"), "nothing of the failures", text);
    },
  },
  {
    title: "tells how work came out that gave something, and nothing of what it gave",
    async holds({ tracer, told }) {
      const endOf = ({ code }: { readonly code: "Conflict" | null }) => ({ outcome: "raced", code });
      for (const code of ["Conflict", null] as const)
        await tracer.during(begin("work"), async () => ({ code, value: "hush-value" }), endOf);
      const codes = told().map(({ code }) => code);
      tracerHolds(codes[0] === "Conflict" && codes[1] === null, "the code where there is one", codes);
      tracerHolds(
        told().every(({ text }) => text.includes("raced") && !text.includes("hush")),
        "the outcome",
        told(),
      );
    },
  },
  {
    title: "tells the name and all fields",
    async holds({ tracer, told }) {
      const fields = { requestId: "request-7", componentId: "system/part", attempt: 42 };
      await tracer.during({ name: "agent.pass", fields }, task);
      const [{ text }] = named(told(), "agent.pass");
      tracerHolds(
        Object.values(fields).every((value) => text.includes(String(value))),
        "all of them",
        text,
      );
    },
  },
];

/** The spans with these names; there is one for each. */
function named<const Names extends readonly string[]>(spans: readonly ToldSpan[], ...names: Names) {
  return names.map((name) => {
    const found = spans.filter((span) => span.name === name);
    tracerHolds(found.length === 1, `one span ${name}`, spans);
    return found[0];
  }) as { readonly [At in keyof Names]: ToldSpan };
}
