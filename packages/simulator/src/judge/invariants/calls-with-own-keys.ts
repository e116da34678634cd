import type { Evidence } from "../evidence.ts";
import type { Rule } from "../steps.ts";

/** Each call is made with the key of the environment whose resources it is about. */
export function callsWithOwnKeys({ clouds }: Pick<Evidence, "clouds">): Rule {
  return {
    invariant: "calls-with-own-keys",
    judges: {
      called: ({ process, provider, names, key }) => {
        const keyFor = clouds.get(provider)?.keyFor;
        const other = keyFor && names.find((name) => keyFor(name) !== key);
        return other === undefined ? null : `${process} calls ${provider} about ${other} with ${key}`;
      },
    },
  };
}
