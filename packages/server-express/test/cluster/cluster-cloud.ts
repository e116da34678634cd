import type { Cloud, Reading } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { plainCloud, plainReading } from "../../../core/test/builders/plain-cloud.ts";

/** Asks the cloud of the trial, which is a process of its own. */
export async function askCloud<T>(url: string, path: string, body: unknown, node = ""): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "x-node": node },
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}

type Seen = { readonly size: number; readonly etag: number } | null;

/** The cloud as a node has it. */
export function clusterCloud(url: string, node: string): Cloud {
  const ask = <T>(path: string, body: unknown) => askCloud<T>(url, path, body, node);
  return plainCloud({
    async read({ resourceId }) {
      const [seen = null] = await ask<Seen[]>("/read", [resourceId]);
      return readingOf(seen);
    },
    async readMany(refs) {
      const seen = await ask<Seen[]>(
        "/read-many",
        refs.map(({ resourceId }) => resourceId),
      );
      return seen.map(readingOf);
    },
    async update({ resourceId: id }, { parameters }, { etag }) {
      const size = parameters.find(({ pointer }) => pointer === "/size")?.value;
      const { outcome } = await ask<{ outcome: string }>("/write", { id, size, etag: Number(etag) });
      if (outcome === "PreconditionFailed") throw new LiveplaneError(outcome);
      return {};
    },
  });
}

function readingOf(seen: Seen): Reading {
  return seen === null ? { state: "missing" } : plainReading(seen);
}
