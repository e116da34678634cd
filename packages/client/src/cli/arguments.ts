import { parseArgs } from "node:util";
import { UsageError } from "../usage-error.ts";
import { suggestion } from "./mistyped.ts";

/** What the flags of a command take: one word, none, or several. */
export interface FlagKinds {
  readonly [name: string]: {
    readonly type: "string" | "boolean";
    readonly short?: string;
    readonly multiple?: boolean;
  };
}

/** A parsed command line. */
export interface Arguments {
  readonly words: readonly string[];
  text(flag: string): string | undefined;
  isSet(flag: string): boolean;
}

/** Parses a command line; an unknown flag is refused with the known ones. */
export async function takeFlags(args: readonly string[], flags: FlagKinds): Promise<Arguments> {
  const options = {
    json: { type: "boolean" },
    ids: { type: "boolean" },
    help: { type: "boolean", short: "h" },
    ...flags,
  } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const given = values as Readonly<Record<string, string | boolean | string[] | undefined>>;
    return {
      words: positionals,
      text: (flag) => (typeof given[flag] === "string" ? given[flag] : undefined),
      isSet: (flag) => given[flag] === true,
    };
  } catch (cause) {
    const [what = ""] = (cause as Error).message.split(/\.(?:\s|$)|\n/);
    const known = Object.keys(options).map((name) => `--${name}`);
    const [, flag] = /^Unknown option '([^']+)'/.exec(what) ?? [];
    const refusal =
      flag === undefined ? `${what}.` : `There is no flag ${flag}${(await suggestion(flag, known)) || "."}`;
    throw new UsageError(`${refusal} Known flags: ${known.join(", ")}.`, { cause });
  }
}

/** The words after an operation's name: `--name word` pairs, and the others. */
export interface Pairs {
  readonly words: readonly string[];
  readonly isJson: boolean;
  /** IDs aren't replaced by names. */
  readonly hasIds: boolean;
  /** One word, or several if a name was repeated. */
  readonly pairs: Readonly<Record<string, string | readonly string[]>>;
  /** The last name, if its word is missing. */
  readonly unfinished: string | null;
}

/** Parses a command line whose names only the service knows. Every name takes a word, except `--json` and `--ids`. */
export function takePairs(args: readonly string[]): Pairs {
  const pairs = new Map<string, string[]>();
  const words: string[] = [];
  let [isJson, hasIds] = [false, false];
  let unfinished: string | null = null;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      words.push(...args.slice(at + 1));
      break;
    }
    if (arg === "--json") isJson = true;
    else if (arg === "--ids") hasIds = true;
    else if (/^-[a-z]/i.test(arg))
      throw new UsageError(`There is no flag ${arg}. Flags begin with --, such as --json.`);
    else if (!/^--[a-z]/.test(arg)) words.push(arg);
    else {
      const [name = "", ...value] = arg.slice(2).split("=");
      const word = value.length > 0 ? value.join("=") : args[++at];
      if (word === undefined) unfinished = name;
      else pairs.set(name, [...(pairs.get(name) ?? []), word]);
    }
  }
  const one = ([name, given]: [string, string[]]) => [name, given.length === 1 ? given[0] : given];
  return { words, isJson, hasIds, pairs: Object.fromEntries([...pairs].map(one)), unfinished };
}
