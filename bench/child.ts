import { fork } from "node:child_process";
import { join } from "node:path";

/** A process of a benchmark that answers each message by one. */
export interface Child {
  /** Sends something, if anything, and waits for what comes. */
  ask<Answer>(question?: object | string | number): Promise<Answer>;
  stop(): void;
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
  };
}
