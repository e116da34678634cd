import { UsageError } from "../../usage-error.ts";
import type { Command } from "../command.ts";
import { environmentNamed } from "../find-component.ts";
import { mayBeSet, variableOf } from "../program-variables.ts";

/** Runs a program with an environment's secrets as variables: they are in no argument and in no file. */
export const secretsRun: Command = {
  takes: "<environment> [--only a,b] [--allow NAME,…] -- <command…>",
  summary:
    "runs a command with an environment's secrets as variables, NAME_LIKE_THIS; --allow also sets the named ones that change how programs run",
  flags: { only: { type: "string" }, allow: { type: "string" } },
  words: [2, Number.POSITIVE_INFINITY],
  async run({ host, api, given }) {
    const { signal } = host;
    const [environment = "", ...command] = given.words;
    const place = await environmentNamed(api, environment);
    const only = given.text("only")?.split(",");
    const allowed = given.text("allow")?.split(",") ?? [];
    const leftOut: string[] = [];
    const variables: Record<string, string> = {};
    for await (const { shortName: secretShortName } of api.environments.secrets.list.all(place, { signal })) {
      if (only !== undefined && !only.includes(secretShortName)) continue;
      const name = variableOf(secretShortName);
      if (!mayBeSet(name, allowed)) {
        leftOut.push(name);
        continue;
      }
      if (Object.hasOwn(variables, name))
        throw new UsageError(`Two secrets would set ${name}. Choose one with --only.`);
      const { value } = await api.environments.secrets.reveal({ ...place, secretShortName }, {}, { signal });
      variables[name] = value;
    }
    for (const name of only ?? [])
      if (!Object.hasOwn(variables, variableOf(name)) && !leftOut.includes(variableOf(name)))
        throw new UsageError(`The environment has no secret named ${name}.`);
    if (leftOut.length > 0)
      host.say(
        `Left out because they change how programs run: ${leftOut.join(", ")}. To set one, name it: --allow ${leftOut[0]}`,
      );
    return host.run(command, variables);
  },
};
