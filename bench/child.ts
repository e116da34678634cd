import { fork } from "node:child_process";
import { join } from "node:path";

/** A benchmark process that answers each message with one. */
export interface Child {
  /** Sends a message, if any, and waits for the next answer. */
  ask<Answer>(question?: object | string | number): Promise<Answer>;
  stop(): void;
  /** Stops it and waits until it has ended. */
  stopped(): Promise<void>;
}

/** Starts a file of `peers` from the sources. Its first message is the first answer. */
export function startChild(app: string, given: readonly string[] = [], execArgv: readonly string[] = []): Child {
  const child = fork(join(import.meta.dirname, "peers", `${app}.ts`), [...given], {
    execArgv: ["--conditions=@liveplane/source", "--no-warnings", ...execArgv],
    env: { ...process.env, NODE_ENV: "production" },
  });
  return {
    ask<Answer>(question?: object | string | number) {
      if (question !== undefined) child.send(question);
      return new Promise<Answer>((resolve, reject) => {
        child.once("exit", (code) => reject(new RangeError(`${app} of the benchmark ended with ${code}.`)));
        child.once("message", (value) => {
          child.removeAllListeners("exit");
          resolve(value as Answer);
        });
      });
    },
    stop: () => child.disconnect(),
    stopped: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.disconnect();
      }),
  };
}
