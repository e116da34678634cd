import * as z from "zod";
import type { Schema } from "../row.ts";
import {
  displayName,
  email,
  httpsUrl,
  instant,
  jsonMap,
  line,
  newPassword,
  pageQuery,
  password,
  phoneNumber,
  recordFields,
  recordFieldsById,
  repeated,
  scopeText,
  shownUuid,
  timestamp,
  tokenText,
  username,
  uuid,
} from "./values.ts";

const accountStatus = z.enum(["Registered", "Active", "Suspended", "Deleted"]);
const accountShape = z.object({
  id: shownUuid,
  username: z.string().nullable(),
  name: z.string().nullable(),
  surname: z.string().nullable(),
  email: z.string().nullable(),
  avatarUrl: z.string().nullable(),
  phoneNumber: z.string().nullable(),
  status: accountStatus,
  challenge: z.string(),
  forcePasswordChange: z.boolean(),
  /** `false`: they sign in at a provider or by a passkey, or haven't activated the account. A mailed code sets a first one. */
  hasPassword: z.boolean(),
  /** Whether signing in takes a second factor. */
  hasSecondFactor: z.boolean(),
  serviceAccountId: z.string().nullable(),
  subscriptionId: shownUuid.nullable(),
  ...recordFields,
});
/** An account. */
export interface Account extends z.output<typeof accountShape> {}
export const account: Schema<Account> = accountShape;

const accountFilter = z.strictObject({
  ...pageQuery,
  /** By default, those that aren't Deleted. */
  status: repeated(accountStatus).exactOptional(),
  /** The whole address, without regard to case. */
  email: line.exactOptional(),
  /** The whole user name, without regard to case. */
  username: line.exactOptional(),
});
/** The query of an account list. */
export interface AccountListQuery extends z.output<typeof accountFilter> {}
export const accountListQuery: Schema<AccountListQuery> = accountFilter;

const releaseShape = z.object({
  accountId: z.string(),
  status: z.enum(["Releasing", "Released"]),
  /** The live systems that are still to be released. */
  liveSystems: z.array(z.string()),
  /** The resources that were released and stay in their cloud; the first thousand. */
  left: z.array(z.object({ componentId: z.string(), provider: z.string(), resourceId: z.string().nullable() })),
  startedAt: instant,
  completedAt: instant.nullable(),
});
/** How far the release of a deleted account's resources is, and what was left in clouds. */
export interface AccountRelease extends z.output<typeof releaseShape> {}
export const accountRelease: Schema<AccountRelease> = releaseShape;

const credentials = z.strictObject({
  username: username.nullable().exactOptional(),
  password: newPassword.nullable().exactOptional(),
});
/** The user name and password of a new account. */
export interface Credentials extends z.output<typeof credentials> {}
export const credentialsInput: Schema<Credentials> = credentials;

const signIn = z.strictObject({ username: line, password });
/** A sign-in: a user name or an e-mail address, and the password. */
export interface SignIn extends z.output<typeof signIn> {}
export const signInInput: Schema<SignIn> = signIn;

const byEmail = z.strictObject({ email: email.nullable().exactOptional() });
/** An e-mail address. */
export interface EmailInput extends z.output<typeof byEmail> {}
export const emailInput: Schema<EmailInput> = byEmail;

const accountChange = z.strictObject({
  name: displayName.nullable().exactOptional(),
  surname: displayName.nullable().exactOptional(),
  email: email.nullable().exactOptional(),
  avatarUrl: httpsUrl.nullable().exactOptional(),
  phoneNumber: phoneNumber.nullable().exactOptional(),
});
/** Changes to an account. */
export interface AccountUpdate extends z.output<typeof accountChange> {}
export const accountUpdate: Schema<AccountUpdate> = accountChange;

const activation = z.strictObject({
  name: displayName.nullable().exactOptional(),
  surname: displayName.nullable().exactOptional(),
  password: newPassword.nullable().exactOptional(),
});
/** The body that activates an account. */
export interface Activation extends z.output<typeof activation> {}
export const activationInput: Schema<Activation> = activation;

const passwordChange = z.strictObject({
  oldPassword: password.nullable().exactOptional(),
  newPassword: newPassword.nullable().exactOptional(),
});
/** The current password and the new one. */
export interface PasswordChange extends z.output<typeof passwordChange> {}
export const passwordChangeInput: Schema<PasswordChange> = passwordChange;

const reset = z.strictObject({ newPassword: newPassword.nullable().exactOptional() });
/** The password that replaces a forgotten one. */
export interface PasswordReset extends z.output<typeof reset> {}
export const passwordResetInput: Schema<PasswordReset> = reset;

const accepted = z.object({});
/** Says only that the request was accepted. */
export interface Accepted extends z.output<typeof accepted> {}
export const acceptedAnswer: Schema<Accepted> = accepted;

/** The JSON value `true`. */
export const done: Schema<true> = z.literal(true);

const pageOnly = z.strictObject(pageQuery);
/** The query of a list. */
export interface PageQuery extends z.output<typeof pageOnly> {}
export const pageQueryInput: Schema<PageQuery> = pageOnly;

/** How a session began. */
export const signedInBy = z.enum(["password", "openid", "passkey", "secret", "pipeline"]);
/**
 * The second factor of a session. `needed`: it is still to be given, and until then the session can do nothing else. `issuer`: the OpenID
 * provider has asked for one.
 */
export const secondFactor = z.enum(["needed", "issuer", "totp", "passkey", "recoveryCodes"]);
export type SecondFactor = z.output<typeof secondFactor>;
const session = z.object({
  id: z.string(),
  createdAt: instant,
  lastUsedAt: instant,
  userAgent: z.string().nullable(),
  signedInBy,
  /** `null`: none was needed. */
  secondFactor: secondFactor.nullable(),
  current: z.boolean(),
});
/** One of the caller's own sessions. */
export interface Session extends z.output<typeof session> {}
export const sessionRecord: Schema<Session> = session;

const tokenSet = z.object({
  accessToken: z.string(),
  tokenType: z.literal("Bearer"),
  expiresIn: z.number(),
  refreshToken: z.string(),
  forcePasswordChange: z.boolean(),
  /** The tokens are valid for ten minutes, and only to give the second factor. */
  secondFactorRequired: z.boolean(),
});
/** The tokens of a sign-in. */
export interface TokenSet extends z.output<typeof tokenSet> {}
export const tokenSetRecord: Schema<TokenSet> = tokenSet;

/** Other members are ignored, as RFC 6749 and RFC 7009 require. */
const grant = z.object({
  grant_type: z.enum(["refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"]),
  refresh_token: line.exactOptional(),
  client_id: line.exactOptional(),
  client_secret: line.exactOptional(),
  /** The OpenID token of a pipeline, to exchange for an access token (RFC 8693). */
  subject_token: tokenText.exactOptional(),
  subject_token_type: z
    .enum(["urn:ietf:params:oauth:token-type:id_token", "urn:ietf:params:oauth:token-type:jwt"])
    .exactOptional(),
  /** `Type/ownerId/shortName`, if the pipeline's token fits several environments. */
  environment: line.exactOptional(),
  scope: scopeText.exactOptional(),
});
/** A token request of RFC 6749. */
export interface TokenRequest extends z.output<typeof grant> {}
export const tokenRequest: Schema<TokenRequest> = grant;

const tokens = z.object({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  expires_in: z.number(),
  refresh_token: z.string().exactOptional(),
  scope: z.string().exactOptional(),
  /** The members that RFC 8693 adds to the answer. */
  issued_token_type: z.literal("urn:ietf:params:oauth:token-type:access_token").exactOptional(),
});
/** A token response of RFC 6749. */
export interface TokenResponse extends z.output<typeof tokens> {}
export const tokenResponse: Schema<TokenResponse> = tokens;

const revocation = z.object({
  token: tokenText,
  token_type_hint: scopeText.exactOptional(),
});
/** A token to revoke (RFC 7009). */
export interface RevocationRequest extends z.output<typeof revocation> {}
export const revocationRequest: Schema<RevocationRequest> = revocation;

const keySet = z.object({ keys: z.array(jsonMap) });
/** Public keys as defined by RFC 7517. */
export interface KeySet extends z.output<typeof keySet> {}
export const keySetRecord: Schema<KeySet> = keySet;

const amount = z.number().min(1).max(1_000_000);

/** The details of a plan: a missing one has its own error code. Those in `optional` mean unlimited when absent. */
function planDetails<Amount extends string, Optional extends string = never>(
  amounts: readonly Amount[],
  optional: readonly Optional[] = [],
) {
  const names = [...amounts, "expirationDate"];
  const members = Object.fromEntries(
    [...amounts, ...optional].map((name) => [
      name,
      (name === "multiplicator" ? amount : amount.int()).nullable().exactOptional(),
    ]),
  );
  return z
    .strictObject({ ...members, expirationDate: timestamp.nullable().exactOptional() })
    .superRefine((details: Readonly<Record<string, unknown>>, context) => {
      for (const name of names) {
        const params = { code: "SubscriptionDetailsMismatch" };
        if (details[name] == null) context.addIssue({ code: "custom", path: [name], message: "is required", params });
      }
    })
    .meta({ required: names })
    .transform((details) => {
      const said = Object.entries(details).filter(([, value]) => value !== null);
      return Object.fromEntries(said) as unknown as { [name in Amount]: number } & {
        [name in Optional]?: number;
      } & { expirationDate: string };
    });
}

const subscriptionFields = {
  subscriptionType: z.enum(["Discover", "Workgroup", "Enterprise"]),
  workgroupSubscriptionDetails: planDetails(["multiplicator"]).nullable().exactOptional(),
  enterpriseSubscriptionDetails: planDetails(
    ["maxNumberOfAccounts", "maxNumberOfOrganizations"],
    ["maxNumberOfLiveSystems", "maxNumberOfComponents"],
  )
    .nullable()
    .exactOptional(),
};
const subscriptionInputShape = z.strictObject(subscriptionFields);
/** A subscription to create. */
export interface SubscriptionInput extends z.output<typeof subscriptionInputShape> {}
export const subscriptionInput: Schema<SubscriptionInput> = subscriptionInputShape;

const subscriptionUpdateShape = z.strictObject({
  ...subscriptionFields,
  subscriptionType: subscriptionFields.subscriptionType.exactOptional(),
});
/** Changes to a subscription: omitted members stay. */
export interface SubscriptionUpdate extends z.output<typeof subscriptionUpdateShape> {}
export const subscriptionUpdate: Schema<SubscriptionUpdate> = subscriptionUpdateShape;

const subscriptionQueryShape = z.strictObject({ accountId: uuid.exactOptional() });
/** The account to create a subscription for; only operators may name another. */
export interface SubscriptionQuery extends z.output<typeof subscriptionQueryShape> {}
export const subscriptionQuery: Schema<SubscriptionQuery> = subscriptionQueryShape;

const subscriptionShape = z.object({
  id: shownUuid,
  subscriptionType: z.enum(["Discover", "Workgroup", "Enterprise"]),
  workgroupSubscriptionDetails: z.object({ multiplicator: z.number(), expirationDate: instant }).nullable(),
  enterpriseSubscriptionDetails: z
    .object({
      maxNumberOfAccounts: z.number(),
      maxNumberOfOrganizations: z.number(),
      maxNumberOfLiveSystems: z.number().exactOptional(),
      maxNumberOfComponents: z.number().exactOptional(),
      expirationDate: instant,
    })
    .nullable(),
  ...recordFieldsById,
});
/** A subscription. */
export interface Subscription extends z.output<typeof subscriptionShape> {}
export const subscription: Schema<Subscription> = subscriptionShape;

/** How many are in use, and how many there may be; `null`: there is no limit. */
const count = z.object({ used: z.number(), limit: z.number().nullable() });
const subscriptionUse = z.object({
  ...subscriptionShape.shape,
  counts: z.object({ accounts: count, organizations: count, liveSystems: count, components: count }),
});
/** A subscription with what is used of it. */
export interface SubscriptionUse extends z.output<typeof subscriptionUse> {}
export const subscriptionWithUse: Schema<SubscriptionUse> = subscriptionUse;

const ownedSubscription = z.object({ ...subscriptionUse.shape, accountId: shownUuid });
/** A subscription with what is used of it, and whose it is. */
export interface SubscriptionOfAccount extends z.output<typeof ownedSubscription> {}
export const subscriptionOfAccount: Schema<SubscriptionOfAccount> = ownedSubscription;
