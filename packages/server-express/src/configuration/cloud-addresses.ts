import type { AzureIdentity } from "@liveplane/adapters/azure-credentials";
import type { Read } from "./settings.ts";

/** The addresses of the real clouds. */
export interface CloudAddresses {
  readonly azure: {
    /** Azure Resource Manager. */
    readonly managementUrl: string;
    /** Microsoft Entra. */
    readonly loginUrl: string;
    /** The public client that people sign in with on another device; `null` if they can't. */
    readonly clientId: string | null;
    /** The source of the server's own identity; `null` if it has none. */
    readonly identity: AzureIdentity | null;
  };
  readonly google: {
    /** The address of a service, with `{service}` for its name. */
    readonly serviceUrl: string;
    readonly tokenUrl: string;
    /** The source of the server's own identity; `null` if it has none. */
    readonly identity: "adc" | null;
  };
}

const place = "{service}";

/** Reads a cloud's address. Credentials are sent there, so plain HTTP is accepted only on this machine. */
export function readAddress(text: string): Read<string> {
  const isAddress = URL.canParse(text) && isSafe(new URL(text)) && !/[?#]/.test(text);
  return isAddress ? { value: text.replace(/\/+$/, "") } : { reason: "must be https://…, without a query" };
}

export function readServiceAddress(text: string): Read<string> {
  if (text.split(place).length !== 2 || "reason" in readAddress(text.replace(place, "service")))
    return { reason: `must be https://… without a query, and contain ${place} once` };
  return { value: text.replace(/\/+$/, "") };
}

/** Reads an issuer. It must equal the provider's own spelling, so it isn't corrected. */
export function readIssuer(text: string): Read<string> {
  const read = readAddress(text);
  return "reason" in read ? read : { value: text };
}

/** Reads the ID of a client at Microsoft Entra. */
export function readClientId(text: string): Read<string> {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? { value: text } : { reason: "must be a UUID" };
}

export function serviceAddress({ serviceUrl }: CloudAddresses["google"], service: string): string {
  return serviceUrl.replace(place, service);
}

function isSafe({ protocol, hostname, username, password }: URL): boolean {
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return (protocol === "https:" || (protocol === "http:" && isLoopback)) && username === "" && password === "";
}
