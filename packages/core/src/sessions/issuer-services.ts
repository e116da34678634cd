import type { Handlers } from "../contract/handler.ts";
import type { Challenges } from "../identity/challenges.ts";
import type { SignInIssuer } from "../ports/identity.ts";
import { createIdentityLinking, type IdentityLinkingDeps } from "./identity-linking.ts";
import { createIssuerSignIn, createSignInByCode, type IssuerSignIn, type IssuerSignInDeps } from "./issuer-sign-in.ts";
import { createSignInCodes } from "./sign-in-codes.ts";
import { createSignInTransactions, type SignInTransactionsDeps } from "./sign-in-transactions.ts";

/** What signing in at an issuer takes of the others. */
export interface IssuerServicesDeps
  extends SignInTransactionsDeps,
    Pick<IdentityLinkingDeps, "pages" | "mail">,
    Pick<IssuerSignInDeps, "records" | "settings" | "begin" | "startSubscription"> {
  /** @default people sign in by their passwords alone */
  readonly signInIssuer?: SignInIssuer;
  readonly challenges: Pick<Challenges, "endAll">;
}

/** All that there is of signing in at an issuer. */
export interface IssuerServices {
  /** `null`: there is no issuer. */
  readonly signIn: IssuerSignIn | null;
  readonly handlers: Pick<Handlers<"sessions">, "sessions.createByCode" | "sessions.methods"> &
    ReturnType<typeof createIdentityLinking>;
}

/** Builds it. Its operations are there without an issuer as well: what was linked can be looked at and unlinked. */
export function createIssuerServices(deps: IssuerServicesDeps): IssuerServices {
  const { signInIssuer: issuer = null, challenges } = deps;
  const transactions = createSignInTransactions(deps);
  const codes = createSignInCodes(deps.runtime);
  const signing = { ...deps, issuer, transactions, codes, endChallenges: challenges.endAll };
  return {
    signIn: createIssuerSignIn(signing),
    handlers: {
      ...createSignInByCode(signing),
      ...createIdentityLinking({ ...signing, hasIssuer: issuer !== null }),
    },
  };
}
