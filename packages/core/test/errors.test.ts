import {
  type ErrorCode,
  errorCodes,
  fromProblem,
  isLiveplaneError,
  LiveplaneError,
  toProblem,
  type Violation,
  visible,
} from "@liveplane/core/errors";
import { expect, test } from "vitest";
import { invalid } from "../src/contract/invalid.ts";

const codes = Object.keys(errorCodes) as ErrorCode[];
const hostsOnly: readonly ErrorCode[] = [
  "StoreFailed",
  "CommitOutcomeUnknown",
  "CapabilityMissing",
  "ConfigurationInvalid",
  "UnsupportedRuntime",
  "Aborted",
];
const requestId = "request-0001";

/** As it travels: nothing survives but JSON. */
const sent = (thrown: unknown) => JSON.parse(JSON.stringify(toProblem(thrown, requestId))) as unknown;

test.each(codes.filter((code) => !hostsOnly.includes(code) && code !== "InternalError"))(
  "%s comes back as itself from its problem document",
  (code) => {
    const errors = [{ pointer: "#/name", code: "TooLong", detail: "This is too long." }] as const;
    const error = new LiveplaneError(code, "What went wrong.", { details: { errors, retryAfterSeconds: 3 } });
    const problem = toProblem(error, requestId);
    expect(problem).toMatchObject({
      type: `urn:liveplane:error:${code}`,
      status: errorCodes[code][0],
      title: errorCodes[code][1],
      detail: "What went wrong.",
      instance: `urn:liveplane:request:${requestId}`,
      code,
      requestId,
    });
    const back = fromProblem(sent(error), problem.status);
    expect(isLiveplaneError(back, code)).toBe(true);
    expect([back.code, back.message, back.status, back.retryable]).toEqual([
      error.code,
      error.message,
      error.status,
      error.retryable,
    ]);
    expect(back.details).toEqual(error.details);
  },
);

test.each(hostsOnly)("%s is told to hosts only", (code) => {
  const error = new LiveplaneError(code, "The disk /var/lib/x is full.", { details: { path: "/var/lib/x" } });
  const problem = JSON.stringify(toProblem(error, requestId));
  expect(problem).not.toContain(code);
  expect(problem).not.toContain("/var/lib/x");
  expect(["Unavailable", "InternalError"]).toContain(toProblem(error, requestId).code);
});

test("what isn't an error of ours says nothing of itself", () => {
  for (const thrown of [
    new Error("SELECT secret FROM x"),
    "secret",
    null,
    undefined,
    { code: "NotFound", message: "secret" },
  ]) {
    expect(toProblem(thrown, requestId)).toMatchObject({ code: "InternalError", status: 500 });
    expect(JSON.stringify(toProblem(thrown, requestId))).not.toContain("secret");
  }
});

test("a 500 says nothing but its request id", () => {
  const details = { keyId: "3f1c", errors: [{ pointer: "#/a", code: "Format", detail: "3f1c" }] } as const;
  const inside = new LiveplaneError("InternalError", "The key ring does not hold the key 3f1c.", { details });
  const dressed = new LiveplaneError("ProviderError", "The key 3f1c.", { status: 500, details });
  const problem = {
    type: "urn:liveplane:error:InternalError",
    title: "An internal error occurred",
    status: 500,
    detail: "An internal error occurred",
    instance: `urn:liveplane:request:${requestId}`,
    code: "InternalError",
    reasonCode: "InternalError",
    requestId,
  };
  expect([sent(inside), sent(dressed)]).toEqual([problem, problem]);
});

test("details can't replace the members of the document", () => {
  const error = new LiveplaneError("NotFound", undefined, { details: { status: 200, code: "Other", counts: {} } });
  expect(toProblem(error, requestId)).toMatchObject({ status: 404, code: "NotFound", counts: {} });
});

test("the guard knows errors of another copy of the package, and one code from another", async () => {
  const copy = "../src/errors.ts?another-copy";
  const other = (await import(/* @vite-ignore */ copy)) as typeof import("@liveplane/core/errors");
  const error: unknown = new other.LiveplaneError("NotFound");
  expect(other.LiveplaneError).not.toBe(LiveplaneError);
  expect(error).not.toBeInstanceOf(LiveplaneError);
  expect(isLiveplaneError(error)).toBe(true);
  expect(isLiveplaneError(error, "NotFound")).toBe(true);
  expect(isLiveplaneError(error, "Conflict")).toBe(false);
  expect(isLiveplaneError(Object.assign(new Error("x"), { code: "NotFound" }))).toBe(false);
});

test("an error keeps its cause, has a literal name, and its code's status", () => {
  const cause = new Error("inner");
  const error = new LiveplaneError("Conflict", undefined, { cause });
  expect(error).toMatchObject({
    name: "LiveplaneError",
    message: errorCodes.Conflict[1],
    status: 409,
    retryable: true,
  });
  expect(error.cause).toBe(cause);
  expect("cause" in new LiveplaneError("NotFound")).toBe(false);
});

test("several violations share their own code when all have it, else the general one", () => {
  const at = (code: Violation["code"]): Violation => ({ pointer: "#/0", code, detail: "Wrong." });
  expect(invalid([at("ValueRequired"), at("ValueRequired")]).code).toBe("ValueRequired");
  expect(invalid([at("ValueRequired"), at("TooLong")]).code).toBe("ValidationFailed");
  expect(invalid([at("TooLong")]).code).toBe("ValidationFailed");
});

test("an answer that is no problem document becomes the nearest code by its status", () => {
  const nearest = (status: number, body: unknown = "<html>") => fromProblem(body, status).code;
  expect(nearest(401)).toBe("Unauthenticated");
  expect(nearest(403)).toBe("PermissionDenied");
  expect(nearest(404)).toBe("NotFound");
  expect(nearest(409)).toBe("Conflict");
  expect(nearest(418)).toBe("ValidationFailed");
  expect(nearest(429)).toBe("RateLimited");
  expect(nearest(502)).toBe("Unavailable");
  expect(nearest(504)).toBe("Unavailable");
  expect(nearest(503)).toBe("Unavailable");
  expect(nearest(599)).toBe("InternalError");
  expect(nearest(404, { code: "constructor" })).toBe("NotFound");
  expect(fromProblem({ errors: "no list", retryAfterSeconds: "soon" }, 400).details).toEqual({});
});

test("only what trying again can help is retryable", () => {
  const retryable = codes.filter((code) => new LiveplaneError(code).retryable);
  expect(retryable).toEqual(["Conflict", "RateLimited", "Unavailable", "ProviderTimeout"]);
});

test.each([
  ["\u001b]0;title\u0007", "\\u001b]0;title\\u0007"],
  ["a\u009b31mb", "a\\u009b31mb"],
  ["\u202egpj.exe\u2066", "\\u202egpj.exe\\u2066"],
  ["\u200e\u200f\u061c\u2028\u2029\ufeff", "\\u200e\\u200f\\u061c\\u2028\\u2029\\ufeff"],
  ["\u0000\t\r\u007f", "\\u0000\\u0009\\u000d\\u007f"],
  ["\u{e0041}", "\\udb40\\udc41"],
  ["two\nlines, é, 漢字, 😀", "two\nlines, é, 漢字, 😀"],
])("a terminal sees %j as text", (text, shown) => expect(visible(text)).toBe(shown));

test("JSON keeps its values when its control characters are made visible", () => {
  const value = { "a\u0085": ["\u009d0;x\u009c", "\u202e", "\u{e0041}", "\\u009b", "\n\t\u0000"] };
  for (const indent of [0, 2]) expect(JSON.parse(visible(JSON.stringify(value, null, indent)))).toEqual(value);
});

test("an error as text has its code", () => {
  expect(String(new LiveplaneError("NotFound", "There is no secret db."))).toBe(
    "LiveplaneError: NotFound: There is no secret db.",
  );
});
