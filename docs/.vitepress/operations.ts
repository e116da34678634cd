/** Writes the pages of the API's operations, one for each area, from the contract. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toOpenApi } from "@liveplane/core/contract";
import {
  type DescribedAnswer,
  type DescribedOperation,
  readDocument,
} from "../../packages/console/src/api/described.ts";
import { exampleOf } from "../../packages/console/src/api/examples.ts";
import { curlLine, requestOf } from "../../packages/console/src/api/request.ts";

const { areas, operations, schemas } = readDocument(toOpenApi());
const folder = join(import.meta.dirname, "../reference/operations");

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const { name, description } of areas) {
  const own = operations.filter(({ tags, operationId }) => tags.includes(name) && !operationId.endsWith("ByPost"));
  const sections = own.map(sectionOf);
  writeFileSync(join(folder, `${name}.md`), `${[`# ${name}`, description, ...sections].join("\n\n")}\n`);
}

function sectionOf(operation: DescribedOperation): string {
  const { operationId, method, path, description, answers } = operation;
  const successes = answers.filter(({ status }) => status.startsWith("2"));
  const refusals = answers.filter(({ status }) => !status.startsWith("2"));
  return [
    `## ${operationId}`,
    `\`${method} ${path}\``,
    description,
    `\`\`\`sh\n${exampleRequest(operation)}\n\`\`\``,
    ...successes.map(answerOf),
    ["| status | codes |", "| --- | --- |", ...refusals.map(refusalRow)].join("\n"),
  ].join("\n\n");
}

/** The call with every parameter of the path, and a body with what is required. */
function exampleRequest({ method, path, parameters, requestBody, security }: DescribedOperation): string {
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const media = requestBody?.content["application/json"];
  const body = media && (media.example ?? exampleOf(media.schema, schemas, "required"));
  const fields = [
    ...inPath.map(({ name, schema }) => ({ name: `path:${name}`, value: String(exampleOf(schema, schemas, "all")) })),
    ...(body === undefined ? [] : [{ name: "body", value: JSON.stringify(body) }]),
  ];
  const line = curlLine(requestOf(method, path, fields), "https://liveplane.example/");
  return security.length === 0 ? line.replace(/ \\\n {2}-H "Authorization: .*"/, "") : line;
}

function answerOf({ status, content }: DescribedAnswer): string {
  const schema = content?.["application/json"]?.schema;
  if (schema === undefined) return `Answers ${status}.`;
  return `Answers ${status}:\n\n\`\`\`json\n${JSON.stringify(exampleOf(schema, schemas, "all"), null, 2)}\n\`\`\``;
}

function refusalRow({ status, "x-codes": codes = [] }: DescribedAnswer): string {
  return `| ${status} | ${codes.map((code) => `\`${code}\``).join(", ")} |`;
}
