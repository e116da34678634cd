import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mailer } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { tighten } from "../stores/private-files.ts";

/** Options of a mailer into a folder. */
export interface FolderMailerOptions {
  /** Created if it doesn't exist. Its files hold credentials, so only this user can read them. */
  readonly folder: string;
  /** What the time is. @default Date.now */
  readonly now?: () => number;
}

/** Writes each mail as a JSON file `{to, subject, text, challenge}`, for development. The names sort by age. */
export function folderMailer({ folder, now = Date.now }: FolderMailerOptions): Mailer {
  let written = 0;
  return {
    async send({ to, subject, text, challenge = null }) {
      const time = new Date(now()).toISOString().replaceAll(":", "-");
      const name = `${time}-${process.pid}-${String(++written).padStart(6, "0")}`;
      const mail = JSON.stringify({ to, subject, text, challenge }, null, 2);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        tighten(folder, 0o700);
        // Written under another name first, so that nobody reads an incomplete mail.
        await writeFile(join(folder, `.${name}`), `${mail}\n`, { mode: 0o600, flag: "wx" });
        await rename(join(folder, `.${name}`), join(folder, `${name}.json`));
      } catch (cause) {
        throw new LiveplaneError("Unavailable", `A mail could not be written to ${folder}.`, { cause });
      }
    },
  };
}
