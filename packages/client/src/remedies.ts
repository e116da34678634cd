const fixIt =
  "Fix what the cloud reports. If you fix it in the cloud, the agent tries again by itself. If you fix it in the declaration, deploy that.";

/** What to do about a failure of a deploy or of a component. */
const remedies: Readonly<Record<string, string>> = {
  ProviderCredentialsMissing:
    "Initialize the environment again with credentials, or ask an operator to give the server an identity.",
  ProviderCredentialsRejected: "Check the permissions of the environment's identity in the cloud, then deploy again.",
  ProviderTimeout: "The cloud took too long. Check there whether the operation has finished, then deploy again.",
  ProviderError: fixIt,
  ProvisioningFailed: fixIt,
  InvalidDeclaration: "Correct the declaration, then deploy it.",
  Immutable: "Declare the value that the cloud has, or declare the component under another path.",
  Ineffective: "Accept what the cloud shows on the component's page in the console, or change the declaration.",
  Unproven: "Accept what the cloud shows on the component's page in the console, or change the declaration.",
  ReferenceNotFound: "Correct the reference in the declaration, or add the secret that it names, then deploy again.",
  NotCorrectable: "Correct it in the cloud, or set unconditionalWrites for this component.",
};

/** What to do about a failure, by the code of a deploy's error or a component's reason. */
export function remedyFor(code: string): string {
  return remedies[code] ?? "Fix the problem above, then deploy again. Completed steps aren't repeated.";
}
