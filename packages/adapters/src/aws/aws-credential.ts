import { LiveplaneError } from "@liveplane/core/errors";
import type { AwsCredentials } from "./aws-identities.ts";

/** A role to assume in an account. */
export interface AwsRole {
  readonly arn: string;
  /** The external ID that the role's trust policy requires. @default none */
  readonly externalId?: string;
  /** Tags of the session, which policies and CloudTrail see. The role's trust policy must allow `sts:TagSession`. @default none */
  readonly sessionTags?: Readonly<Record<string, string>>;
}

/**
 * The machine's own identity in AWS, through `@aws-sdk/credential-providers`, which is loaded on demand: environment, profile, web identity,
 * task or instance. It assumes the account's role, if there is one. Throws `ConfigurationInvalid` if the library isn't installed.
 */
export async function awsCredential(roleFor: (account: string) => AwsRole | null): Promise<AwsCredentials> {
  const providers = await import("@aws-sdk/credential-providers").catch((cause: unknown) => {
    const advice = "AWS identities need @aws-sdk/credential-providers: npm install @aws-sdk/credential-providers@3";
    throw new LiveplaneError("ConfigurationInvalid", advice, { cause });
  });
  return async (account) => {
    const role = roleFor(account);
    if (role === null) return providers.fromNodeProviderChain()();
    const { arn: RoleArn, externalId: ExternalId, sessionTags = {} } = role;
    const Tags = Object.entries(sessionTags).map(([Key, Value]) => ({ Key, Value }));
    const params = {
      RoleArn,
      RoleSessionName: "liveplane",
      ...(ExternalId !== undefined && { ExternalId }),
      ...(Tags.length > 0 && { Tags }),
    };
    return providers.fromTemporaryCredentials({ params })();
  };
}
