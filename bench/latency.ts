import { Agent, request } from "node:http";
import { setTimeout as pass } from "node:timers/promises";

/** What is asked for again and again. */
export interface Asked {
  readonly url: string;
  readonly token?: string;
}

/**
 * The time that ninety-nine of a hundred answers take at most, in milliseconds: a hundred requests a second, each begun in its time
 * whatever became of those before, until `until` is there.
 */
export async function p99({ url, token }: Asked, until: Promise<unknown>): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const taken: Promise<number>[] = [];
  let ended = false;
  const end = () => {
    ended = true;
  };
  until.then(end, end);
  for (; !ended; await pass(10)) {
    const startedAt = performance.now();
    const answered = new Promise<number>((resolve, reject) => {
      const sent = request(url, { agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new RangeError(`${url} answered ${response.statusCode}.`));
        response.resume().once("end", () => resolve(performance.now() - startedAt));
      });
      sent.once("error", reject).end();
    });
    answered.catch(() => {});
    taken.push(answered);
  }
  const times = (await Promise.all(taken)).sort((a, b) => a - b);
  agent.destroy();
  await until;
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}
