import { defaultSettings, errorCodes, type Settings } from "@liveplane/core";
import { eventTypes } from "@liveplane/core/contract";
import { isForHostsOnly } from "../../packages/core/src/errors.ts";
import { read } from "./documents.ts";

/** The page of errors, generated from the code's own table. */
export function errorsPage(): string {
  const codes = Object.entries(errorCodes).map(([code, [status, title, retryable]]) => ({
    code: code as keyof typeof errorCodes,
    line: `| \`${code}\` | ${status} | ${title} | ${retryable === undefined ? "" : "yes"} |`,
  }));
  const table = (hostsOnly: boolean) => [
    "| code | status | meaning | retry can help |",
    "| --- | --- | --- | --- |",
    ...codes.filter(({ code }) => isForHostsOnly(code) === hostsOnly).map(({ line }) => line),
  ];
  return `${[
    "# Errors",
    "",
    "This page is generated from the code's own table; a test keeps the two equal.",
    "",
    "Every failure is a `LiveplaneError`, in process and in the client. It has a `code` for your switch, a sentence to read, `retryable`, and `details`. Over HTTP",
    "it is `application/problem+json` (RFC 9457) with the same `code`. Its member `errors` names every wrong place at once, by `pointer`, `parameter` or `header`. It",
    "never contains the values that were sent. `isLiveplaneError(error, code)` recognizes the error of any copy of the package.",
    "",
    "Minor releases add codes, so have a default in each switch.",
    "",
    ...table(false),
    "",
    "## In process only",
    "",
    "These are for the host. Over HTTP the answer is `InternalError` or `Unavailable` without further detail.",
    "",
    ...table(true),
  ].join("\n")}\n`;
}

/** Every type of event, by what it is about. */
export function eventTable(): string {
  const areas = Map.groupBy(eventTypes, (type) => type.split(".", 1)[0] ?? "");
  const rows = [...areas].map(([area, types]) => {
    const names = types.map((type) => `\`${type.slice(area.length + 1)}\``);
    return `| \`${area}.\` | ${names.join(", ")} |`;
  });
  return `${["| subject | event |", "| --- | --- |", ...rows].join("\n")}\n`;
}

/** What the table of the core's settings says of each: its name, and what it means. */
export function settingsInSource(): { readonly name: string; readonly means: string }[] {
  const source = read("packages/core/src/settings.ts");
  const table = /^const settings = \{\n(.*?)\n\};/ms.exec(source)?.[1] ?? "";
  const rows = /^ {2}\/\*\* (.*?) \*\/\n {2}(\w+):/gm;
  return [...table.matchAll(rows)].map(([, means = "", name = ""]) => ({ name, means }));
}

/** A default as one would write it. */
function shown(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(", ")}]` : JSON.stringify(value);
}

/** The settings of the core, with their defaults. */
export function settingsTable(): string {
  const rows = settingsInSource().map(({ name, means }) => {
    const holds = name === "plans" ? "no limits" : `\`${shown(defaultSettings[name as keyof Settings])}\``;
    return `| \`${name}\` | ${holds} | ${means} |`;
  });
  return `${["| setting | default | meaning |", "| --- | --- | --- |", ...rows].join("\n")}\n`;
}
