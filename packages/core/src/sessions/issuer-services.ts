import type { SignInIssuer } from "../ports/identity.ts";
import type { Services } from "../services.ts";
import { createIdentityLinking } from "./identity-linking.ts";
import { createIssuerSignIn, type IssuerSignIn } from "./issuer-sign-in.ts";
import { createSignInByCode } from "./sign-in-by-code.ts";
import { createSignInCodes } from "./sign-in-codes.ts";
import { createSignInTransactions } from "./sign-in-transactions.ts";

export interface IssuerServices {
  /** `null`: there is no issuer. */
  readonly signIn: IssuerSignIn | null;
  readonly handlers: ReturnType<typeof createSignInByCode> & ReturnType<typeof createIdentityLinking>;
}

/** The operations exist without an issuer too, so that existing links can be listed and removed. */
export function createIssuerServices(
  deps: Pick<
    Services,
    | "records"
    | "pages"
    | "runtime"
    | "settings"
    | "tickets"
    | "passkeys"
    | "begin"
    | "mail"
    | "challenges"
    | "startSubscription"
  > & { readonly signInIssuer?: SignInIssuer },
): IssuerServices {
  const { signInIssuer: issuer = null } = deps;
  const transactions = createSignInTransactions(deps);
  const codes = createSignInCodes(deps.runtime);
  const signing = { ...deps, issuer, hasIssuer: issuer !== null, transactions, codes };
  return {
    signIn: createIssuerSignIn(signing),
    handlers: {
      ...createSignInByCode(signing),
      ...createIdentityLinking(signing),
    },
  };
}
