import { type SealedRecords, sealedStock } from "../keys/rotation.ts";
import type { SealedStock } from "../ports/secrets.ts";
import type { Services } from "../services.ts";
import { sealedProfiles } from "./ci-cd-profile-record.ts";
import {
  type AuthenticationRecord,
  authenticationPlace,
  authentications,
} from "./initialization/authentication-record.ts";
import { type Placement, placementPlace, placements } from "./initialization/initialization-placement.ts";
import { credentialsPlace, type InitializationRunRecord, runs } from "./initialization/initialization-run.ts";
import { sealedSecrets } from "./secret-record.ts";

const sealedAuthentications: SealedRecords<AuthenticationRecord> = {
  collection: authentications,
  async rewrapped(record, rewrap) {
    const { deviceCode, credential } = record;
    return {
      ...record,
      deviceCode: deviceCode && (await rewrap(deviceCode, authenticationPlace(record, "deviceCode"))),
      credential: credential && (await rewrap(credential, authenticationPlace(record, "credential"))),
    };
  },
};

const sealedRuns: SealedRecords<InitializationRunRecord> = {
  collection: runs,
  async rewrapped(record, rewrap) {
    const { credentials } = record;
    if (credentials === null) return record;
    return {
      ...record,
      credentials: { ...credentials, sealed: await rewrap(credentials.sealed, credentialsPlace(record)) },
    };
  },
};

const sealedPlacements: SealedRecords<Placement> = {
  collection: placements,
  async rewrapped(record, rewrap) {
    const { credentials, environment, provider } = record;
    if (credentials === null) return record;
    const sealed = await rewrap(credentials.sealed, placementPlace(environment, provider));
    return { ...record, credentials: { ...credentials, sealed } };
  },
};

/** All sealed values of environments. */
export function sealedContents(deps: Pick<Services, "records" | "sealer">): SealedStock[] {
  return [
    sealedStock(deps, sealedSecrets),
    sealedStock(deps, sealedProfiles),
    sealedStock(deps, sealedAuthentications),
    sealedStock(deps, sealedRuns),
    sealedStock(deps, sealedPlacements),
  ];
}
