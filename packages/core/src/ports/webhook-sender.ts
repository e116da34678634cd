/** A message to somebody's receiver: all that goes over the wire. */
export interface WebhookMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What became of a message. Nothing is kept of what a receiver says next to its status. */
export type WebhookOutcome =
  /** It was answered: with what status, and how long the receiver asks to be left alone, where it does. */
  | { readonly kind: "answered"; readonly status: number; readonly retryAfterMs?: number }
  /**
   * It was not: the address may not be sent to, it isn't to be reached, or no answer came in time.
   * A message that timed out may have been taken all the same.
   */
  | { readonly kind: "failed"; readonly because: "AddressRefused" | "Unreachable" | "TimedOut" };

/**
 * Sends to receivers that anybody may name, from inside the host's network.
 *
 * An implementation MUST judge the address that it connects to, and not only the name that leads there; MUST NOT follow redirects;
 * MUST end in bounded time, whatever the receiver does, and once the signal fires; MUST read no more of an answer than its head.
 * It neither throws for what a receiver does nor logs an address, a header or a body.
 */
export interface WebhookSender {
  /** Why an address can't be a receiver's, as far as its text tells: a sentence that doesn't repeat it. `null`: it may be one. */
  refusalOf(url: string): string | null;
  /** Sends a message by POST, once. */
  send(message: WebhookMessage, options: { readonly signal: AbortSignal }): Promise<WebhookOutcome>;
}
