import type { AzureIdentity } from "@liveplane/adapters/azure-credentials";
import type { Read } from "./settings.ts";

/** Where the real clouds are reached. */
export interface CloudAddresses {
  readonly azure: {
    /** Azure Resource Manager. */
    readonly managementUrl: string;
    /** Microsoft Entra. */
    readonly loginUrl: string;
    /** The public client that people sign in with from another device; `null`: they can't. */
    readonly clientId: string | null;
    /** Where the server's own identity comes from; `null`: it has none. */
    readonly identity: AzureIdentity | null;
  };
  readonly google: {
    /** The address of a service, with `{service}` where its name goes. */
    readonly serviceUrl: string;
    readonly tokenUrl: string;
    /** Where the server's own identity comes from; `null`: it has none. */
    readonly identity: "adc" | null;
  };
}

const place = "{service}";

/** Reads the address of a cloud. Credentials are sent there: in the clear to nobody but this machine itself. */
export function readAddress(text: string): Read<string> {
  const isAddress = URL.canParse(text) && isSafe(new URL(text)) && !/[?#]/.test(text);
  return isAddress ? { value: text.replace(/\/+$/, "") } : { reason: "must be https://…, without a query" };
}

export function readServiceAddress(text: string): Read<string> {
  if (text.split(place).length !== 2 || "reason" in readAddress(text.replace(place, "service")))
    return { reason: `must be https://… without a query, and contain ${place} once` };
  return { value: text.replace(/\/+$/, "") };
}

/** Reads an issuer: it is compared with what the provider calls itself, so nothing of it is mended. */
export function readIssuer(text: string): Read<string> {
  const read = readAddress(text);
  return "reason" in read ? read : { value: text };
}

/** Reads the id of a client at Microsoft Entra. */
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
