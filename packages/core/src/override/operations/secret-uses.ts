import { type EnvironmentRef, environmentName } from "../../contract/target.ts";
import { listAll } from "../../records/list-all.ts";
import type { Services } from "../../services.ts";
import { pathKey, plainName } from "../declarations/definition.ts";
import { liveSystems } from "../records/live-system-record.ts";

/** Finds the components that use a secret of an environment, by name. A live system that is being deleted needs no secret. */
export async function secretUses(
  { records, declarations }: Pick<Services, "records" | "declarations">,
  environment: EnvironmentRef,
  shortName: string,
): Promise<readonly string[]> {
  const prefix = [plainName(environmentName(environment))];
  const systems = await listAll(records, liveSystems, { index: "inEnvironment", prefix });
  const active = systems.filter(({ status }) => status === "Active");
  const inForce = await declarations.of(active.map(({ id }) => id));
  return [...inForce.values()].flatMap(({ system, definition, declared }) =>
    definition.components
      .filter(({ path }) =>
        declared
          .get(pathKey(path))
          ?.references.some((one) => one.kind === "secret" && plainName(one.shortName) === plainName(shortName)),
      )
      .map(({ path }) => `${system.name}/${path}`),
  );
}
