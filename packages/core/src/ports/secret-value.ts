const inspect = Symbol.for("nodejs.util.inspect.custom");
const redacted = "[redacted]";

/** A secret in memory: printing, serialising or spreading it shows `[redacted]`. */
export class SecretValue {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the one place that needs it. */
  reveal(): string {
    return this.#value;
  }

  /** `[redacted]`. */
  toString(): string {
    return redacted;
  }

  /** `[redacted]`. */
  toJSON(): string {
    return redacted;
  }

  /** `[redacted]`. */
  [Symbol.toPrimitive](): string {
    return redacted;
  }

  /** `[redacted]`. */
  [inspect](): string {
    return redacted;
  }
}
