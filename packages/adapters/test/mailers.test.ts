import { readdir, readFile, stat } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { folderMailer } from "@liveplane/adapters/folder-mailer";
import { logMailer } from "@liveplane/adapters/log-mailer";
import { smtpMailer } from "@liveplane/adapters/smtp-mailer";
import { afterEach, expect, test } from "vitest";
import { emptyFolder } from "./empty-folder.ts";

const mail = {
  to: "ada@example.com",
  subject: "Activate",
  text: "Use this:\n\nhandle.secret\n",
  challenge: "handle.secret",
};
const running: Server[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** As much of RFC 5321 as a client needs: collects what it is told. `answerTo` may refuse. */
async function smtpServer(answerTo: (command: string) => string | undefined = () => undefined) {
  const commands: string[] = [];
  const bodies: string[] = [];
  const server = createServer((socket) => {
    let pending = "";
    let inBody = false;
    socket.write("220 test\r\n");
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      pending += chunk;
      for (;;) {
        const end = inBody ? "\r\n.\r\n" : "\r\n";
        const at = pending.indexOf(end);
        if (at === -1) return;
        const part = pending.slice(0, at);
        pending = pending.slice(at + end.length);
        if (inBody) bodies.push(part);
        else commands.push(part);
        const usual = !inBody && part === "DATA" ? "354 go on" : "250 fine";
        inBody = !inBody && part === "DATA";
        socket.write(`${answerTo(part) ?? usual}\r\n`);
        if (part === "QUIT") socket.end();
      }
    });
  });
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { commands, bodies, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("a mail goes over SMTP to its address, from the host's", async () => {
  const { url, commands, bodies } = await smtpServer();
  const mailer = await smtpMailer({ url, from: "liveplane@example.com" });
  await mailer.send(mail);
  expect(commands).toEqual(expect.arrayContaining(["MAIL FROM:<liveplane@example.com>", "RCPT TO:<ada@example.com>"]));
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).toMatch(/^Subject: Activate$/m);
  expect(bodies[0]).toContain("handle.secret");
});

test("an address can't add headers or receivers", async () => {
  const { url, commands, bodies } = await smtpServer();
  const mailer = await smtpMailer({ url, from: "liveplane@example.com" });
  const sly = "ada@example.com\r\nBcc: eve@example.com, mallory@example.com";
  await mailer.send({ ...mail, to: sly, subject: "Hello\r\nBcc: eve@example.com" }).catch(() => {});
  expect(commands.filter((command) => command.startsWith("RCPT")).length).toBeLessThanOrEqual(1);
  for (const body of bodies) expect(body).not.toMatch(/^Bcc:/m);
});

test("a server that refuses, or isn't there, is Unavailable, and the error holds nothing of the mail", async () => {
  const refusing = await smtpServer((command) =>
    command.startsWith("RCPT") ? "550 no such ada@example.com" : undefined,
  );
  const gone = "smtp://127.0.0.1:1";
  for (const url of [refusing.url, gone]) {
    const mailer = await smtpMailer({ url, from: "liveplane@example.com", timeoutMs: 2000 });
    const error = await mailer.send(mail).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "Unavailable", retryable: true });
    expect(String(error) + String((error as Error).cause)).not.toMatch(/ada|secret/);
  }
});

test.each(["", "mail.example.com", "https://mail.example.com"])("%j is no SMTP address", async (url) => {
  await expect(smtpMailer({ url, from: "a@b.c" })).rejects.toMatchObject({ code: "ConfigurationInvalid" });
});

test("a folder gets a file of JSON for each mail, in order, readable to its owner alone", async () => {
  const folder = join(emptyFolder(), "made", "at-need");
  const mailer = folderMailer({ folder, now: () => Date.UTC(2026, 0, 1) });
  await mailer.send(mail);
  await mailer.send({ to: "ada@example.com", subject: "Notice", text: "Nothing changed." });
  const names = (await readdir(folder)).sort();
  expect(names).toHaveLength(2);
  const [first, second] = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), "utf8"))),
  );
  expect(first).toEqual(mail);
  expect(second).toEqual({ to: "ada@example.com", subject: "Notice", text: "Nothing changed.", challenge: null });
  expect((await stat(join(folder, names[0] as string))).mode & 0o077).toBe(0);
});

test("a folder that can't be written to is Unavailable", async () => {
  const mailer = folderMailer({ folder: "/dev/null/mail" });
  await expect(mailer.send(mail)).rejects.toMatchObject({ code: "Unavailable" });
});

test("the log shows the mail to the developer", async () => {
  const lines: string[] = [];
  await logMailer({ write: (line) => void lines.push(line) }).send(mail);
  expect(lines.join("")).toContain("ada@example.com");
  expect(lines.join("")).toContain("handle.secret");
});

test("the log shows control characters of a mail instead of sending them to the terminal", async () => {
  const lines: string[] = [];
  const hostile = "\u001b]0;title\u0007\u009b2J\u202e";
  await logMailer({ write: (line) => void lines.push(line) }).send({
    ...mail,
    to: hostile,
    subject: hostile,
    text: hostile,
  });
  expect(lines.join("").split("\\u001b]0;title\\u0007\\u009b2J\\u202e")).toHaveLength(4);
});
