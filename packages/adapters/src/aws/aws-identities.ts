import type { CloudCall } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";

/** Keys of AWS, as the credential providers of `@aws-sdk` return them. */
export interface AwsIdentity {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

/** Returns the host's keys for an account, for example those of a role in it. */
export type AwsCredentials = (account: string) => Promise<AwsIdentity>;

const marginMs = 120_000;

/** The keys of each call. The host's own are kept until shortly before they expire. */
export function awsIdentities({
  credentials,
  now,
}: {
  readonly credentials?: AwsCredentials;
  readonly now: () => number;
}) {
  const kept = new Map<string, AwsIdentity>();

  async function own(account: string): Promise<AwsIdentity> {
    if (credentials === undefined)
      throw new LiveplaneError("ProviderCredentialsRejected", "This server has no identity in AWS.");
    const known = kept.get(account);
    if (known !== undefined && (known.expiration?.getTime() ?? Number.POSITIVE_INFINITY) - marginMs > now())
      return known;
    // A provider's error may contain keys, so it isn't passed on.
    const found = await credentials(account).catch(() => {
      throw new LiveplaneError("ProviderCredentialsRejected", "The server's AWS credentials could not be loaded.");
    });
    kept.set(account, found);
    return found;
  }

  return {
    async identityFor(account: string, { credentials: { kind, name, secret } }: CloudCall): Promise<AwsIdentity> {
      if (kind === "workload") return own(account);
      if (kind === "servicePrincipal" && name !== null && secret !== null)
        return { accessKeyId: name, secretAccessKey: secret.reveal() };
      throw new LiveplaneError("ProviderCredentialsRejected", "AWS needs an access key, or the server's own identity.");
    },
    /** The host is asked for other keys at the next call. */
    forget: (account: string) => kept.delete(account),
  };
}
