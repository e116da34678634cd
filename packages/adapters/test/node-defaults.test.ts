import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeDefaults } from "@liveplane/adapters/node";
import { expect, test } from "vitest";
import { emptyFolder } from "./empty-folder.ts";

const refused = (options: unknown) => expect(nodeDefaults(options as never)).rejects;

test.each([undefined, null, {}, { dataDir: "" }, { dataDir: 5 }])(
  "%j lacks a folder, and is told so",
  async (options) => {
    await refused(options).toMatchObject({
      code: "ConfigurationInvalid",
      message: expect.stringContaining(
        'dataDir is missing: the folder for the database and the keys, as in nodeDefaults({ dataDir: ".liveplane" })',
      ),
    });
  },
);

test("an option that is none is refused by its name, before anything is made", async () => {
  await refused({ dataDir: "/proc/never", storee: {} }).toMatchObject({
    code: "ConfigurationInvalid",
    message: "storee isn't an option of nodeDefaults; did you mean store?",
  });
});

test("a folder that can't be made is named", async () => {
  const file = join(emptyFolder(), "file");
  writeFileSync(file, "");
  await refused({ dataDir: join(file, "data") }).toMatchObject({
    code: "ConfigurationInvalid",
    message: expect.stringContaining(`${join(file, "data")} (ENOTDIR)`),
  });
});
