import type { Api } from "../../src/contract/api.ts";
import { stepAt, totpCode } from "../../src/identity/totp.ts";
import { webRuntime } from "../../src/ports/web-runtime.ts";

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** An authenticator app: it is given the secret as text, and shows the code of a time. */
export function authenticatorApp(secret: string) {
  const bits = [...secret].map((letter) => base32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const bytes = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
  return { codeAt: (ms: number) => totpCode(webRuntime().crypto, bytes, stepAt(ms)) };
}

/** Adds an authenticator app to the caller's account. */
export async function withApp(api: Api, clock: { now(): number }) {
  const { id, secret, uri } = await api.accounts.factors.addTotp({});
  const app = authenticatorApp(secret);
  const factor = await api.accounts.factors.confirmTotp({ code: await app.codeAt(clock.now()) });
  return { id, secret, uri, factor, code: () => app.codeAt(clock.now()) };
}
