/** What to do about failures of deploys and components. */
export const remedyTexts = {
  title: "What to do:",
  other: "Fix the problem above, then deploy again. Completed steps aren't repeated.",
  byCode: {
    ProviderCredentialsMissing:
      "Initialize the environment again with credentials, or ask an operator to give the server an identity.",
    ProviderCredentialsRejected: "Check the permissions of the environment's identity in the cloud, then deploy again.",
    ProviderTimeout: "The cloud took too long. Check there whether the operation has finished, then deploy again.",
    ProviderError: "Fix what the cloud reports, there or in the declaration, then deploy again.",
    ProvisioningFailed: "Fix what the cloud reports, there or in the declaration, then deploy again.",
    InvalidDeclaration: "Correct the declaration, then deploy it.",
    Immutable: "Declare the value that the cloud has, or declare the component under another path.",
    Ineffective: "Accept on the component's page what the cloud shows, or change the declaration.",
    Unproven: "Accept on the component's page what the cloud shows, or change the declaration.",
    ReferenceNotFound: "Correct the reference in the declaration, or add the secret that it names, then deploy again.",
    NotCorrectable: "Correct it in the cloud, or set unconditionalWrites for this component.",
  } as Readonly<Record<string, string>>,
} as const;
