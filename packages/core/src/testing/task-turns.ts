/** Turns of the task queue: one is over when everything that waited only for promises has run. */
export function taskTurns(): { next(): Promise<void>; end(): void } {
  const { process, setImmediate } = globalThis as NodeGlobals;
  if (process?.nextTick !== undefined && setImmediate !== undefined) return tickTurns(process.nextTick, setImmediate);
  const { port1, port2 } = new MessageChannel();
  let go: () => void = () => {};
  port1.onmessage = () => go();
  return {
    next: () =>
      new Promise((resolve) => {
        go = resolve;
        port2.postMessage(null);
      }),
    end() {
      port1.close();
      port2.close();
    },
  };
}

/** What Node has and other runtimes may lack. */
interface NodeGlobals {
  readonly process?: { readonly nextTick?: Defer };
  readonly setImmediate?: Defer;
}

type Defer = (run: () => void) => unknown;

/** After this many turns in one task, timers and sockets get theirs. */
const turnsATask = 256;

/** Node runs a tick when no promise is left to run, without polling for I/O. */
function tickTurns(nextTick: Defer, setImmediate: Defer): ReturnType<typeof taskTurns> {
  let turns = 0;
  return {
    next: () => new Promise<void>((resolve) => (++turns % turnsATask === 0 ? setImmediate : nextTick)(resolve)),
    end() {},
  };
}
