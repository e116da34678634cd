import { joseTokens } from "@liveplane/adapters/jose-tokens";
import { intervalScheduler, type LiveplaneOptions, type Sealed, type Sealer, webRuntime } from "@liveplane/core";
import { simulatedCloud } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import { memoryStore } from "@liveplane/core/store";

/** Every port with what browsers, Bun, Deno and Workers share, for a host without a disk and Node's modules. */
export async function webPorts(): Promise<LiveplaneOptions> {
  const store = memoryStore();
  const runtime = webRuntime();
  const sealer = await webSealer();
  const simulate = (provider: "provider-a" | "provider-b") => simulatedCloud({ provider, store, runtime, sealer });
  return {
    store,
    runtime,
    sealer,
    tokens: await joseTokens(),
    hasher: { hash: (password) => hashed(password), verify },
    mailer: { send: async () => {} },
    sshKeys: {
      inspect: () => Promise.reject(new LiveplaneError("InvalidSshPrivateKey", "No key can be read here.")),
    },
    clouds: { adapters: [simulate("provider-a"), simulate("provider-b")] },
    scheduler: intervalScheduler({ runtime }),
    settings: { openRegistration: true },
  };
}

const iterations = 100_000;

async function hashed(password: string, salt = crypto.getRandomValues(new Uint8Array(16))): Promise<string> {
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(password), "PBKDF2", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, key, 256);
  return [salt, new Uint8Array(bits)].map(toText).join(".");
}

async function verify(hash: string, password: string): Promise<{ matches: boolean; outdated: boolean }> {
  const [salt = ""] = hash.split(".");
  return { matches: (await hashed(password, toBytes(salt))) === hash, outdated: false };
}

/** Seals with AES-GCM under one key of this process, bound to the place. */
async function webSealer(): Promise<Sealer> {
  const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  const parameters = (iv: Uint8Array<ArrayBuffer>, place: readonly string[]) => ({
    name: "AES-GCM",
    iv,
    additionalData: new TextEncoder().encode(JSON.stringify(place)),
  });
  return {
    currentKeyId: async () => "this-process",
    async seal(plaintext, place): Promise<Sealed> {
      const nonce = crypto.getRandomValues(new Uint8Array(12));
      const ciphertext = await crypto.subtle.encrypt(parameters(nonce, place), key, new Uint8Array(plaintext));
      return {
        algorithm: "web",
        keyId: "this-process",
        wrappedKey: "",
        nonce: toText(nonce),
        ciphertext: toText(new Uint8Array(ciphertext)),
        tag: "",
      };
    },
    async open({ nonce, ciphertext }, place) {
      const opened = await crypto.subtle.decrypt(parameters(toBytes(nonce), place), key, toBytes(ciphertext));
      return new Uint8Array(opened);
    },
    rewrap: async () => null,
  };
}

const toText = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
const toBytes = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
