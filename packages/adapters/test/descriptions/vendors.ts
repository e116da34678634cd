import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import type { Cloud } from "@liveplane/core/clouds";
import { azureDouble } from "../azure/azure-double.ts";
import { goodToken, googleDouble, labelled, pathOf } from "../google/google-double.ts";
import { fetchFrom } from "../simulator/in-process.ts";
import { departures } from "./departures.ts";

/** The credentials of a cloud's own identity. */
export const workload = { kind: "workload", name: null, secret: null } as const;

export type Body = Record<string, unknown>;

/** A vendor's double behind the real adapter, and what is done to its resources. */
export interface Vendor {
  readonly cloud: Cloud;
  readonly make: (type: string, resourceId: string, body: Body) => void;
  /** A resource, its tags apart. */
  readonly at: (type: string, resourceId: string) => { readonly body: unknown; readonly tags: unknown };
  /** IDs of what the adapter has written to, and whether more than tags changed. */
  readonly writes: { readonly resourceId: string; readonly isMore: boolean }[];
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export function azureVendor(now: () => number): Vendor {
  const writes: Vendor["writes"] = [];
  const azure = azureDouble({
    now,
    judged: departures(),
    onChange: ({ by, before, after }) => {
      if (by !== "hand") writes.push({ resourceId: after?.id ?? "", isMore: !same(before?.body, after?.body) });
    },
  });
  const credential = { getToken: async () => ({ token: "token-of-azure", expiresOnTimestamp: 0 }) };
  return {
    cloud: azureCloud({ fetch: azure.fetch, credential, now }),
    make: (_type, id, { labels, ...body }) => azure.make(id, { ...body, tags: labels }),
    at: (_type, id) => ({ body: azure.get(id)?.body, tags: azure.get(id)?.tags }),
    writes,
  };
}

export function googleVendor(now: () => number): Vendor {
  const writes: Vendor["writes"] = [];
  const google = googleDouble({
    now,
    judged: departures(),
    onChange: ({ by, path, before, after }) => {
      if (by === "hand") return;
      const isMore = !same(split(before?.body).body, split(after?.body).body);
      writes.push({ resourceId: path, isMore });
    },
  });
  const authClient = { getAccessToken: async () => ({ token: goodToken }) };
  const urlOf = (service: string) => `https://google.invalid/${service}`;
  return {
    cloud: googleCloud({ fetch: fetchFrom(google.answer), urlOf, authClient, now }),
    make: (type, id, { labels, ...body }) => {
      google.putAt(pathOf(type, id), "project-one", labels === undefined ? body : labelled(type, body, labels));
    },
    at: (type, id) => split(google.resourceAt(pathOf(type, id))?.body),
    writes,
  };
}

function split(body: unknown) {
  const { labels, resourceLabels, userLabels: ofPolicy, settings, ...own } = (body ?? {}) as Body;
  const { userLabels, ...others } = (settings ?? {}) as Body;
  return {
    body: { ...own, ...(settings !== undefined && { settings: others }) },
    tags: labels ?? resourceLabels ?? ofPolicy ?? userLabels,
  };
}
