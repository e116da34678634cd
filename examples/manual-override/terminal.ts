import { styleText } from "node:util";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const started = Date.now();
let chapters = 0;

/** Prints who acts now. */
export function tell(who: "you" | "agent", what: string): void {
  const name = who === "you" ? styleText("cyan", "  you  ") : styleText("magenta", "  agent");
  process.stdout.write(`${styleText("gray", clock())} ${name}  ${what}\n`);
}

/** Starts a chapter of the story. */
export function chapter(title: string): void {
  chapters += 1;
  process.stdout.write(`\n${styleText("bold", `${chapters}. ${title}`)}\n`);
}

/** Prints a value below the line that mentions it. */
export function show(value: unknown): void {
  const text = JSON.stringify(value, null, 2).replaceAll("\n", "\n                  ");
  process.stdout.write(`                  ${styleText("yellow", text)}\n`);
}

/** Shows a spinner while waiting; only on a terminal. */
export async function waiting<T>(what: string, work: Promise<T>): Promise<T> {
  if (!process.stdout.isTTY) return work;
  let turn = 0;
  const wheel = setInterval(() => {
    turn += 1;
    process.stdout.write(`\r  ${frames[turn % frames.length]} ${what}`);
  }, 80);
  try {
    return await work;
  } finally {
    clearInterval(wheel);
    process.stdout.write("\r\u001b[K");
  }
}

function clock(): string {
  return `${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s`;
}
