import { Agent, request } from "node:http";
import { setTimeout as pass } from "node:timers/promises";

/** The repeated request. */
export interface Asked {
  readonly url: string;
  readonly token?: string;
}

/** The p99 in milliseconds: a hundred requests a second, each started on time whatever happened to earlier ones, until `until` settles. */
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
