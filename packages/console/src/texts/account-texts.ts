import type { NamedAgent } from "../account/user-agent.ts";

/** The texts of one's own account. */
export const accountTexts = {
  identities: {
    title: "Sign-ins at a provider",
    columns: ["Who", "Provider", "Linked", "Last used", "Actions"],
    none: "Nobody at a provider is linked to this account.",
    never: "not yet",
    unlink: "Unlink",
    unlinkAsk: "Whoever it is signs in here no more; other sessions that began by it end.",
    link: "Link yourself at the provider",
    linking: "Linking …",
    noProvider: "This server has no OpenID provider to sign in at.",
  },
  sessions: {
    title: "Where you are signed in",
    columns: ["With", "By", "Since", "Last used", "Actions"],
    with: ({ program, system }: NamedAgent) =>
      program !== null && system !== null ? `${program} on ${system}` : (program ?? system ?? "unknown"),
    by: { password: "password", openid: "provider", secret: "secret", pipeline: "pipeline" },
    current: "this one",
    end: "End it",
    endAsk: "Whoever is signed in there has to sign in again.",
  },
} as const;
