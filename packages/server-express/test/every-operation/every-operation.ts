import { environment, organization, type Step, step } from "./script.ts";
import { accounts } from "./script-accounts.ts";
import { environments } from "./script-environments.ts";
import { liveSystems } from "./script-live-systems.ts";
import { organizations } from "./script-organizations.ts";

const endings: readonly Step[] = [
  step("environments.delete", "ada", (world) => [environment(world)]),
  step("accounts.resourceGroups.delete", "ada", () => [{ shortName: "mine" }]),
  step("organizations.delete", "ada", (world) => [organization(world)]),
  step("accounts.delete", "ada", ({ known }) => [{ accountId: known.bob }]),
  step("accounts.release", "operator", ({ known }) => [{ accountId: known.bob }]),
  step("accounts.delete", "operator", ({ known }) => [{ accountId: known.bob }]),
  step("accounts.release", "operator", ({ known }) => [{ accountId: known.bob }]),
  step("accounts.get", "operator", ({ known }) => [{ accountId: known.bob }]),
  step("accounts.list", "operator", () => [{ status: ["Deleted"] }]),
  step("accounts.deleteMe", "ada", () => []),
  step("accounts.me", "ada", () => []),
];

/** Every operation at least once, most of them in good and in bad ways. */
export const script: readonly Step[] = [...accounts, ...organizations, ...environments, ...liveSystems, ...endings];
