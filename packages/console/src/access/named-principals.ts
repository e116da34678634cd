import type { useMay } from "../app/own-rights.ts";

/** A person or a team with its display name. */
export interface NamedPrincipal {
  readonly principalType: "Account" | "Team";
  readonly principalId: string;
  readonly name: string;
}

/** The props of an organization page's parts. */
export interface OrganizationPartProps {
  readonly organizationId: string;
  /** Its members and teams, as far as they are visible. */
  readonly principals: readonly NamedPrincipal[];
  readonly may: ReturnType<typeof useMay>;
}
