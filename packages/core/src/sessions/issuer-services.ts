import type { Handlers } from "../contract/handler.ts";
import type { SignInIssuer } from "../ports/identity.ts";
import type { Services } from "../services.ts";
import { createIdentityLinking } from "./identity-linking.ts";
import { createIssuerSignIn, createSignInByCode, type IssuerSignIn } from "./issuer-sign-in.ts";
import { createSignInCodes } from "./sign-in-codes.ts";
import { createSignInTransactions } from "./sign-in-transactions.ts";

export interface IssuerServices {
  /** `null`: there is no issuer. */
  readonly signIn: IssuerSignIn | null;
  readonly handlers: Pick<Handlers<"sessions">, "sessions.createByCode" | "sessions.methods"> &
    ReturnType<typeof createIdentityLinking>;
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
  const signing = { ...deps, issuer, transactions, codes };
  return {
    signIn: createIssuerSignIn(signing),
    handlers: {
      ...createSignInByCode(signing),
      ...createIdentityLinking({ ...signing, hasIssuer: issuer !== null }),
    },
  };
}
