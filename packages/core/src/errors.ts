/** Every error code, with its HTTP status and whether a retry can help. */
export const errorCodes = {
  ValidationFailed: [400, "The request is not valid"],
  InvalidJson: [400, "The body is not valid JSON"],
  InvalidCursor: [400, "The cursor is not valid"],
  UnsupportedApiVersion: [400, "This API version is not supported"],
  ValueRequired: [400, "A value is required"],
  SelfReferentialManagementEnvironment: [400, "An environment cannot manage itself"],
  ManagementEnvironmentNotFound: [400, "The management environment was not found"],
  DuplicateInBulk: [400, "A name occurs more than once"],
  InvalidSshPrivateKey: [400, "The SSH private key is not valid"],
  SshPassphraseRequired: [400, "The SSH private key needs a passphrase"],
  SshPassphraseIncorrect: [400, "The passphrase of the SSH private key is wrong"],
  WeakSshKey: [400, "The SSH private key is too weak"],
  WeakPassword: [400, "The password is too weak"],
  InvalidPrincipal: [400, "The principal is not valid"],
  SubscriptionDetailsMismatch: [400, "The details do not match the subscription type"],
  ProviderCredentialsMissing: [400, "Cloud credentials are missing"],
  ProviderCredentialsRejected: [400, "The cloud rejected the credentials"],
  ProviderTargetMissing: [400, "The cloud target is missing"],
  InvalidDeclaration: [400, "The declaration is not valid"],
  Unauthenticated: [401, "Sign in first"],
  TokenExpired: [401, "The token has expired"],
  TokenRevoked: [401, "The token has been revoked"],
  InvalidCredentials: [401, "The credentials are not valid"],
  ChallengeInvalid: [401, "The code is wrong, expired or already used"],
  SignInInvalid: [400, "The sign-in is not valid"],
  PermissionDenied: [403, "The permission is missing"],
  InsufficientScope: [403, "The token's scope does not cover this"],
  PasswordChangeRequired: [403, "The password must be changed first"],
  SecondFactorRequired: [403, "A second factor is required"],
  OrganizationRequiresSecondFactor: [403, "The organization requires a second factor"],
  AddressNotVerified: [403, "The address is not verified"],
  IdentityNotLinked: [403, "The identity is not linked to an account"],
  SignInNotFresh: [403, "Sign in again first"],
  AccountNotActive: [403, "The account is not active"],
  ServiceAccountDisabled: [403, "The service account is disabled"],
  SubscriptionExpired: [403, "The subscription has expired"],
  SubscriptionLimitReached: [403, "The subscription's limit is reached"],
  FeatureDisabled: [403, "This feature is turned off"],
  NotFound: [404, "Not found"],
  MethodNotAllowed: [405, "The method is not allowed here"],
  NotAcceptable: [406, "No acceptable representation"],
  AlreadyExists: [409, "It already exists"],
  InvalidState: [409, "The state does not allow this"],
  InitializationInProgress: [409, "An initialization is in progress"],
  DefaultProfileInUse: [409, "The profile is the environment's default"],
  SecretInUse: [409, "The secret is in use"],
  EnvironmentNotEmpty: [409, "The environment is still in use"],
  LastAdmin: [409, "The last Admin cannot be removed"],
  TeamCycle: [409, "The teams would form a cycle"],
  IdempotencyInFlight: [409, "A request with this idempotency key is still running"],
  Conflict: [409, "Somebody else changed it at the same time", "retryable"],
  EventsExpired: [410, "The events have expired"],
  PreconditionFailed: [412, "The precondition failed"],
  PayloadTooLarge: [413, "The body is too large"],
  UriTooLong: [414, "The URL is too long"],
  UnsupportedMediaType: [415, "The media type is not supported"],
  IdempotencyKeyReused: [422, "The idempotency key was used for another request"],
  PreconditionRequired: [428, "A precondition is required"],
  RateLimited: [429, "Too many requests", "retryable"],
  InternalError: [500, "An internal error occurred"],
  ProviderError: [502, "The cloud failed"],
  Unavailable: [503, "Temporarily unavailable", "retryable"],
  ProviderTimeout: [504, "The cloud did not answer in time", "retryable"],
  StoreFailed: [503, "The store failed"],
  CommitOutcomeUnknown: [503, "It is not known whether the change was stored"],
  CapabilityMissing: [500, "An adapter lacks a capability"],
  ConfigurationInvalid: [500, "The configuration is not valid"],
  UnsupportedRuntime: [500, "The runtime is not supported"],
  Aborted: [499, "The caller aborted"],
} as const satisfies Record<string, readonly [status: number, title: string, retryable?: "retryable"]>;

/** The code of an error: what to `switch` on. */
export type ErrorCode = keyof typeof errorCodes;

/** The codes that entries of `errors` may have besides those above. */
export type ViolationCode =
  | "Required"
  | "Type"
  | "TooShort"
  | "TooLong"
  | "TooSmall"
  | "TooBig"
  | "Format"
  | "Enum"
  | "Unknown"
  | "Duplicate"
  | "TooDeep"
  | "Forbidden";

/** One thing that is wrong with a request, and where: exactly one of `pointer`, `parameter` and `header` is set. */
export interface Violation {
  /** A JSON Pointer into the body as a URI fragment: `#/name`. */
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: ViolationCode | ErrorCode;
  readonly detail: string;
}

/** Details of an error. They never hold a sent value. */
export interface ErrorDetails {
  readonly errors?: readonly Violation[];
  readonly retryAfterSeconds?: number;
  readonly counts?: Readonly<Record<string, { readonly used: number; readonly limit: number }>>;
  /** RFC 6749's `error` member, on the token operations. */
  readonly error?: string;
  readonly [member: string]: unknown;
}

/** Options of a `LiveplaneError`. */
export interface LiveplaneErrorOptions {
  readonly cause?: unknown;
  readonly details?: ErrorDetails;
  readonly retryable?: boolean;
  /** Overrides the code's usual status, where one code has two. */
  readonly status?: number;
  readonly requestId?: string | undefined;
}

const brand = Symbol.for("liveplane.error");

/** The error that liveplane throws: a code to switch on, a sentence to read, and details that never hold a secret. */
export class LiveplaneError extends Error {
  override readonly name = "LiveplaneError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly retryable: boolean;
  readonly status: number;
  /** The ID of the request, to find in the service's log. `undefined` if there was no answer. */
  readonly requestId: string | undefined;

  constructor(code: ErrorCode, message?: string, options: LiveplaneErrorOptions = {}) {
    const [status, title, retryable] = errorCodes[code] as readonly [number, string, string?];
    super(message ?? title, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.retryable = options.retryable ?? retryable === "retryable";
    this.status = options.status ?? status;
    this.requestId = options.requestId;
    Object.defineProperty(this, brand, { value: true });
  }

  override toString(): string {
    return `${this.name}: ${this.code}: ${this.message}`;
  }
}

/** Whether a thrown value is a `LiveplaneError` of any copy of this package, with the given code if one is given. */
export function isLiveplaneError(thrown: unknown, code?: ErrorCode): thrown is LiveplaneError {
  if (typeof thrown !== "object" || thrown === null || !Reflect.has(thrown, brand)) return false;
  return code === undefined || Reflect.get(thrown, "code") === code;
}

/** What is wrong, with its place, for readers who see only the sentence. */
export function sentenceOf({ pointer, parameter, header, detail }: Violation): string {
  const place = pointer ?? parameter ?? header;
  return place === undefined || place === "#" ? detail : `${place}: ${detail}`;
}

/** An error as an `application/problem+json` document (RFC 9457). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: ErrorCode;
  /** The same as `code`, under the name that existing clients read. */
  readonly reasonCode: ErrorCode;
  readonly requestId: string;
  readonly errors?: readonly Violation[];
  readonly [member: string]: unknown;
}

/** The public replacements of codes that only a host sees, besides those with status 500. They reveal no details. */
const outside: ReadonlyMap<ErrorCode, ErrorCode> = new Map([
  ["StoreFailed", "Unavailable"],
  ["Aborted", "Unavailable"],
  ["CommitOutcomeUnknown", "InternalError"],
]);

/** Whether a code is only for the host; others see its public replacement. */
export function isForHostsOnly(code: ErrorCode): boolean {
  return outside.has(code) || (errorCodes[code][0] === 500 && code !== "InternalError");
}

/** Turns an error into its problem document. Internal ones become `InternalError` or `Unavailable` without details. */
export function toProblem(thrown: unknown, requestId: string): Problem {
  const error = forStrangers(thrown);
  const title = errorCodes[error.code][1];
  return {
    ...error.details,
    type: `urn:liveplane:error:${error.code}`,
    title,
    status: error.status,
    detail: error.message,
    instance: `urn:liveplane:request:${requestId}`,
    code: error.code,
    reasonCode: error.code,
    requestId,
  };
}

/** The public form of a failure; an internal one says only that it happened. */
export function forStrangers(thrown: unknown): LiveplaneError {
  if (!isLiveplaneError(thrown)) return new LiveplaneError("InternalError");
  const instead = outside.get(thrown.code) ?? (thrown.status === 500 ? "InternalError" : undefined);
  return instead === undefined ? thrown : new LiveplaneError(instead);
}

/** Turns an error response back into the error. From a foreign body nothing is kept; its status decides. */
export function fromProblem(body: unknown, status: number): LiveplaneError {
  const problem = Object(body) as Record<string, unknown>;
  const { type: _type, title: _title, status: _status, instance: _instance, detail, code, ...rest } = problem;
  const { requestId: id, reasonCode: _reasonCode, errors, retryAfterSeconds, ...others } = rest;
  const requestId = typeof id === "string" ? id : undefined;
  if (!isErrorCode(code)) return new LiveplaneError(nearestCode(status), undefined, { status });
  const details = {
    ...others,
    ...(Array.isArray(errors) && { errors }),
    ...(typeof retryAfterSeconds === "number" && { retryAfterSeconds }),
  };
  return new LiveplaneError(code, typeof detail === "string" ? detail : undefined, { details, status, requestId });
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(errorCodes, code);
}

/** The code of a status, where it isn't the first with that status. */
const nearest: Readonly<Record<number, ErrorCode>> = {
  409: "Conflict",
  // A proxy's answer when it can't reach the service.
  502: "Unavailable",
  504: "Unavailable",
};

function nearestCode(status: number): ErrorCode {
  const first = () => (Object.keys(errorCodes) as ErrorCode[]).find((code) => errorCodes[code][0] === status);
  return nearest[status] ?? first() ?? (status < 500 ? "ValidationFailed" : "InternalError");
}

/**
 * Escapes characters that a terminal would interpret or hide (control and format characters, bidi marks, line separators, but not the
 * newline) as `\uXXXX`. JSON stays JSON with the same values.
 */
export function visible(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character.split("").map(escapeOf).join(""),
  );
}

const escapeOf = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
