import { fromTemporaryCredentials } from "@aws-sdk/credential-providers";
import { awsCloud } from "@liveplane/adapters/aws-cloud";
import type { Clouds } from "@liveplane/core";

const accounts: Readonly<Record<string, string>> = { production: "111122223333" };

const clouds: Clouds = {
  adapters: [
    awsCloud({
      // One role in each account. The provider's own chain finds the host's keys: environment, profile, web identity, instance or task.
      credentials: (account) =>
        fromTemporaryCredentials({
          params: { RoleArn: `arn:aws:iam::${account}:role/liveplane`, RoleSessionName: "liveplane" },
        })(),
    }),
  ],
  targetFor: async ({ shortName }) => ({ scope: accounts[shortName] ?? "", region: "eu-central-1" }),
  hostIdentityFor: ({ provider, environment, scope }) =>
    provider === "aws" && scope === accounts[environment.shortName],
};

/** What a host of AWS configures, as the guide shows it. */
export const guideClouds = clouds;
