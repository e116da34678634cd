import type { NamedAgent } from "../account/user-agent.ts";
import { guides } from "./help-texts.ts";

/** The texts of the account page. */
export const accountTexts = {
  signInGuide: { title: "Guide to signing in", href: `${guides}how-to/sign-in.md` },
  name: {
    title: "Name",
    none: "no name",
    change: "Change your name",
    first: "First name",
    last: "Last name",
    save: "Save the name",
    saved: "Your name is changed.",
  },
  password: {
    title: "Password",
    lead: "A change ends all your other sessions.",
    change: "Change your password",
    current: "Current password",
    save: "Save the password",
    none: "Your account has no password. To set one, have a code mailed. Then sign out, and choose “I have a code from a mail”.",
    noAddress: "Your account has no password, and no address to which a code could be mailed.",
    send: (email: string) => `Send a code to ${email}`,
    wrong: "This isn't your current password.",
    changed: "Your password is changed. Your other sessions have ended.",
  },
  identities: {
    title: "Linked identities",
    columns: ["Who", "Provider", "Linked", "Last used", "Actions"],
    none: "No provider identity is linked to this account.",
    never: "not yet",
    unlink: "Unlink",
    unlinkAsk: "This identity can no longer sign in here. Other sessions that it started end.",
    link: "Link an identity",
    linking: "Linking …",
    noProvider: "This server has no OpenID provider. An operator can configure one.",
  },
  sessions: {
    title: "Where you are signed in",
    columns: ["Program", "Signed in by", "Since", "Last used", "Actions"],
    with: ({ program, system }: NamedAgent) =>
      program !== null && system !== null ? `${program} on ${system}` : (program ?? system ?? "unknown"),
    by: { password: "password", openid: "provider", passkey: "passkey", secret: "secret", pipeline: "pipeline" },
    current: "this session",
    end: "End session",
    endAsk: "That session ends, and its user must sign in again.",
  },
} as const;
