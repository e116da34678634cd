// A process that initializes an environment and kills itself right before a commit: `node … <kind> <address> <commit>`.
import { flushCompileCache } from "node:module";
import type { Store } from "../../core/src/ports/store.ts";
import { webRuntime } from "../../core/src/ports/web-runtime.ts";
import { callOf, goodA, initializationWorld, subscriptionId } from "../../core/test/builders/initialization.ts";
import { type Kind, openStore } from "./stores/crash-stores.ts";

const [, , kind = "", address = "", commit = "0"] = process.argv;
const store = dyingStore(await openStore(kind as Kind, address), Number(commit));
const alone = !store.capabilities.sharedByProcesses;
const world = await initializationWorld({ store, alone, runtime: webRuntime() });
const initialize = "environments.providerA.initialize";
await world.handlers[initialize](callOf(initialize, { body: { subscriptionId }, credentials: goodA }));
await world.settled();
await world.store.close();
process.stdout.write("completed");

/** Dies before the commit of that number; a number that is never reached lets it live. */
function dyingStore(store: Store, at: number): Store {
  let commits = 0;
  return {
    ...store,
    commit(...args) {
      commits++;
      if (commits === at) die();
      return store.commit(...args);
    },
  };
}

/** What was compiled is kept for the next process, which an end of this kind would forget. */
function die(): void {
  flushCompileCache();
  process.kill(process.pid, "SIGKILL");
}
