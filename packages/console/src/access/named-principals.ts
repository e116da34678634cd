import type { useMay } from "../app/own-rights.ts";

/** Somebody, or a team, by the name that people know. */
export interface NamedPrincipal {
  readonly principalType: "Account" | "Team";
  readonly principalId: string;
  readonly name: string;
}

/** What the parts of an organization's page are given. */
export interface OrganizationPartProps {
  readonly organizationId: string;
  /** Everybody in it, and its teams, as far as they show. */
  readonly principals: readonly NamedPrincipal[];
  readonly may: ReturnType<typeof useMay>;
}
