import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What the cloud does with files. Tests replace it to make single operations fail. */
export interface Files {
  /** `null` if there is none. */
  read(id: string): Promise<string | null>;
  /** Returns whether it was created: `false` if it exists already. */
  create(id: string, text: string): Promise<boolean>;
  replace(id: string, text: string): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Files in a folder. Nobody ever sees an incomplete one. */
export function filesIn(folder: string): Files {
  const pathOf = (id: string) => `${join(folder, ...id.split("/").map(safe))}.json`;

  async function written(text: string, move: (from: string) => Promise<void>): Promise<void> {
    const from = join(folder, `.${randomUUID()}`);
    try {
      await writeFile(from, text);
      await move(from);
    } finally {
      await rm(from, { force: true });
    }
  }

  return {
    read: (id) => readFile(pathOf(id), "utf8").catch((error) => isCode(error, "ENOENT", null)),
    async create(id, text) {
      await mkdir(dirname(pathOf(id)), { recursive: true });
      const isMade = (from: string) => link(from, pathOf(id)).then(() => true);
      let made = false;
      await written(text, async (from) => {
        made = await isMade(from).catch((error) => isCode(error, "EEXIST", false));
      });
      return made;
    },
    replace: (id, text) => written(text, (from) => rename(from, pathOf(id))),
    remove: (id) => rm(pathOf(id), { force: true }),
  };
}

/** A part of an ID as a safe file name: `..` leads nowhere. */
function safe(part: string): string {
  return encodeURIComponent(part).replaceAll(".", "%2E");
}

function isCode<T>(error: NodeJS.ErrnoException, code: string, answer: T): T {
  if (error.code !== code) throw error;
  return answer;
}
