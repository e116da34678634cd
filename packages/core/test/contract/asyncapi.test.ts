import { Parser } from "@asyncapi/parser";
import { eventTypes, toAsyncApi, toOpenApi } from "@liveplane/core/contract";
import { expect, test } from "vitest";

test("AsyncAPI's own parser accepts the document, and finds every event in both channels", async () => {
  const { document, diagnostics } = await new Parser().parse(structuredClone(toAsyncApi()) as never);
  expect(diagnostics.filter(({ severity }) => severity <= 1)).toEqual([]);
  for (const channel of document?.channels().all() ?? []) {
    const names = channel.messages().all();
    expect(names.map((message) => message.name()).toSorted()).toEqual(eventTypes.toSorted());
  }
  expect(
    document
      ?.operations()
      .all()
      .map((operation) => operation.id()),
  ).toEqual(["events.follow", "webhooks.deliver"]);
});

test("the parser refuses a document with a mistake", async () => {
  const { diagnostics } = await new Parser().parse({ ...toAsyncApi(), channels: { stream: { address: 1 } } } as never);
  expect(diagnostics.filter(({ severity }) => severity === 0)).not.toEqual([]);
});

test("the OpenAPI document describes the data of each type that a webhook receives", () => {
  const { webhooks } = toOpenApi();
  for (const type of eventTypes) expect(JSON.stringify(webhooks)).toContain(`"const":"${type}"`);
});
