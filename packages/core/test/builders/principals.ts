import type { Permission } from "../../src/contract/row.ts";

/** A permission for an account. */
export const toAccount = <const Right extends Permission>(principalId: string, permissionType: Right) =>
  ({ principalType: "Account", principalId, permissionType }) as const;

/** A permission for a team. */
export const toTeam = <const Right extends Permission>(principalId: string, permissionType: Right) =>
  ({ principalType: "Team", principalId, permissionType }) as const;
