import type { Cloud, StepPlan } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import type { AwsRequests } from "./aws-requests.ts";
import { deniedActions, furtherActions, neededActions } from "./aws-rights.ts";

const plans: readonly StepPlan[] = [
  ["identity", "Checks that the credentials belong to the account"],
  ["region", "Checks that the account may use the region"],
  ["rights", "Checks that the credentials have the rights that every resource needs"],
].map(([name = "", description = ""]) => ({ name, description, resourceName: null, resourceType: null }));

const unknown =
  "IAM doesn't say what the credentials may do. Allow iam:GetRole and iam:SimulatePrincipalPolicy to know.";

/** The steps of an initialization. They only check. */
export function awsSteps(
  requests: Pick<AwsRequests, "callerAt" | "query" | "regions">,
): Pick<Cloud, "initializationSteps" | "runStep"> {
  return {
    initializationSteps: () => plans,
    async runStep(step, { target }, call) {
      const { scope: account, region } = target;
      switch (step) {
        case "identity":
          return { id: account, arn: (await requests.callerAt({ account, region }, call)).arn };
        case "region": {
          const enabled = await requests.regions({ account, region }, call);
          if (enabled.includes(region)) return { id: `${account}/${region}` };
          const message = `The region ${region} isn't enabled in the account ${account}. Enable it in AWS's account settings.`;
          throw new LiveplaneError("ProviderError", message, { details: { reason: "RegionDisabled" } });
        }
        case "rights": {
          const missing = await deniedActions(requests, [...neededActions, ...furtherActions], target, call);
          if (missing === null) return { unknown };
          if (!missing.some((action) => neededActions.includes(action))) return { missing };
          const message = `The credentials lack these rights in the account ${account}: ${missing.join(", ")}. \`liveplane aws policy\` prints a policy with them.`;
          throw new LiveplaneError("ProviderCredentialsRejected", message, { details: { reason: "RightsMissing" } });
        }
        default:
          throw new LiveplaneError("ProviderError", "There is no such step.");
      }
    },
  };
}
