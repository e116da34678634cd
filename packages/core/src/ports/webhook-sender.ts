/** A message to a receiver, as it is sent. */
export interface WebhookMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of a message. Of the receiver's answer, only the status is kept. */
export type WebhookOutcome =
  /** The receiver answered: the status, and how long it asks to wait, if it does. */
  | { readonly kind: "answered"; readonly status: number; readonly retryAfterMs?: number }
  /** It didn't: the address is forbidden or unreachable, or no answer came in time. A message that timed out may have been received. */
  | { readonly kind: "failed"; readonly because: "AddressRefused" | "Unreachable" | "TimedOut" };

/**
 * Sends to receivers that anybody may name, from inside the host's network.
 *
 * An implementation MUST check the address that it connects to, not only the name; MUST NOT follow redirects; MUST end in bounded time,
 * whatever the receiver does, and when the signal aborts; MUST read no more of an answer than its head. It neither throws for a receiver's
 * behaviour nor logs an address, a header or a body.
 */
export interface WebhookSender {
  /** Why an address can't be a receiver, as far as its text tells: a sentence that doesn't repeat it. `null` if it may be one. */
  refusalOf(url: string): string | null;
  /** Sends a message by POST, once. */
  send(message: WebhookMessage, options: { readonly signal: AbortSignal }): Promise<WebhookOutcome>;
}
