import type { Rule } from "../steps.ts";

export function failuresHaveCodes(): Rule {
  return {
    invariant: "failures-have-codes",
    judges: {
      logged: ({ fields, message }) => {
        const error = fields.error ?? fields.cause;
        if (error instanceof Error && !("code" in error && "status" in error)) return `${message} ${error.stack}`;
        return error === "InternalError" ? `${message} ${JSON.stringify(fields)}` : null;
      },
    },
  };
}
