import { SecretValue } from "@liveplane/core";
import { type CloudUnderTest, cloudConformance } from "@liveplane/core/testing";
import { test } from "vitest";
import { folderCloud } from "../custom-adapter/folder-cloud.ts";
import { type Files, filesIn } from "../custom-adapter/folder-files.ts";
import { emptyFolder } from "./run-example.ts";

const errno = { fail: "EACCES", throttle: "EBUSY", "lose-answer": "EIO" } as const;

/** The files of a folder, until they are made to fail; then a write fails before it is made, or once it is. */
function breakable(files: Files) {
  const faults: Partial<Record<"read" | "write", keyof typeof errno | null>> = {};
  const under =
    <Args extends unknown[], T>(kind: keyof typeof faults, work: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      const fault = faults[kind] ?? null;
      const failure = fault && Object.assign(new Error("The disk says no."), { code: errno[fault] });
      const answer = fault === null || fault === "lose-answer" ? await work(...args) : null;
      if (failure !== null) throw failure;
      return answer as T;
    };
  return {
    faults,
    files: {
      read: under("read", files.read),
      create: under("write", files.create),
      replace: under("write", files.replace),
      remove: under("write", files.remove),
    },
  };
}

/** A cloud in a folder of its own, with what the laws need around it. */
async function folderUnderTest(): Promise<CloudUnderTest> {
  const files = filesIn(emptyFolder());
  const { faults, files: mayFail } = breakable(files);
  const call = (secret: string) => ({
    credentials: { kind: "servicePrincipal", name: "tester", secret: new SecretValue(secret) } as const,
  });
  return {
    cloud: folderCloud({ folder: "", files: mayFail, secret: "the right secret" }),
    call: call("the right secret"),
    rejected: call("another secret"),
    target: { scope: "first", region: "here" },
    otherTarget: { scope: "second", region: "here" },
    type: "note",
    parameters: { size: "small", nested: { list: [1, "zwei", null], "odd/~name": true } },
    byHand: {
      async setTags(resourceId, tags) {
        const resource = JSON.parse((await files.read(resourceId)) ?? "");
        await files.replace(resourceId, JSON.stringify({ ...resource, tags }));
      },
      remove: files.remove,
    },
    async break(kind, fault) {
      if (kind !== "bulk") faults[kind] = fault;
    },
  };
}

cloudConformance(test, folderUnderTest);
