import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Mail, Mailer, PasswordHasher, SigningKey, TokenClaims, TokenSigner } from "../ports/identity.ts";
import type { Runtime } from "../ports/runtime.ts";

/** A hasher for tests that counts its calls. */
export interface FakeHasher extends PasswordHasher {
  /** How many passwords were hashed, and how many verified. */
  readonly work: { hashed: number; verified: number };
  /** Raises the parameters: existing hashes become outdated. */
  raise(): void;
}

/** Creates a fast, insecure hasher that keeps the port's laws. */
export function fakeHasher({ crypto }: Pick<Runtime, "crypto">): FakeHasher {
  const work = { hashed: 0, verified: 0 };
  let strength = 1;
  const digest = async (salt: string, password: string) => toBase64Url(await crypto.digest(utf8(`${salt}${password}`)));
  return {
    work,
    raise: () => void strength++,
    async hash(password) {
      work.hashed++;
      const salt = toBase64Url(crypto.random(8));
      return `$fake$${strength}$${salt}$${await digest(salt, password)}`;
    },
    async verify(hash, password) {
      work.verified++;
      const [, , made = "", salt = "", expected = ""] = hash.split("$");
      const matches = crypto.equal(utf8(expected), utf8(await digest(salt, password)));
      return { matches, outdated: Number(made) < strength };
    },
  };
}

/** Creates a signer of three-part tokens with HMAC: anyone with the public key could sign, so it is only for tests. */
export function fakeTokens({ crypto, newId }: Pick<Runtime, "crypto" | "newId">): TokenSigner {
  const sealOf = async (secret: string, text: string) => toBase64Url(await crypto.hmac(utf8(secret), utf8(text)));
  return {
    async generateKey(): Promise<SigningKey> {
      const id = newId();
      return { id, publicJwk: { kty: "fake", kid: id }, secret: `of ${id}` };
    },
    async sign(claims, { id, secret }) {
      const text = [{ kid: id }, claims].map((part) => toBase64Url(utf8(JSON.stringify(part)))).join(".");
      return `${text}.${await sealOf(secret, text)}`;
    },
    async verify(token, { keys, issuer, audience, now }) {
      const [head = "", body = "", seal = ""] = token.split(".");
      const { kid } = (parse(head) ?? {}) as { kid?: string };
      const claims = parse(body) as TokenClaims | null;
      const known = keys.some((key) => key.kid === kid) && seal === (await sealOf(`of ${kid}`, `${head}.${body}`));
      const meant = claims?.iss === issuer && claims.aud === audience;
      if (!known || !meant) throw new LiveplaneError("Unauthenticated", "The token is not valid.");
      if (claims.exp * 1000 <= now) throw new LiveplaneError("TokenExpired");
      return claims;
    },
  };
}

function parse(part: string): unknown {
  const bytes = fromBase64Url(part);
  try {
    return bytes === null ? null : JSON.parse(fromUtf8(bytes));
  } catch {
    return null;
  }
}

/** A mailer for tests that keeps its mails. */
export interface FakeMailer extends Mailer {
  readonly mails: Mail[];
  /** The last mail to an address; throws if there is none. */
  last(to: string): Mail;
  /** Whether mails fail from now on. */
  failing: boolean;
}

/** A mailer for tests that collects its mails. */
export function fakeMailer(): FakeMailer {
  const mails: Mail[] = [];
  return {
    mails,
    failing: false,
    last(to) {
      const mail = mails.findLast((one) => one.to === to);
      if (mail === undefined) throw new LiveplaneError("NotFound", "No mail went to that address.");
      return mail;
    },
    async send(mail) {
      if (this.failing) throw new LiveplaneError("Unavailable", `Could not send: ${mail.text}`);
      mails.push(mail);
    },
  };
}
