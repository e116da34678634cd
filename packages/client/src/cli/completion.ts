import { UsageError } from "../usage-error.ts";

const scripts: Readonly<Record<string, string>> = {
  bash: `_liveplane() { local IFS=$'\\n'; COMPREPLY=($(liveplane __complete "\${COMP_WORDS[@]:1:COMP_CWORD}")); }
complete -F _liveplane liveplane`,
  zsh: `#compdef liveplane
_liveplane() { compadd -- \${(f)"$(liveplane __complete "\${words[@]:1:$((CURRENT-1))}")"}; }
compdef _liveplane liveplane`,
  fish: `complete -c liveplane -f -a '(liveplane __complete (commandline -opc)[2..] (commandline -ct))'`,
};

/** The completion script of a shell, which asks the program itself. */
export function completionScript(shell: string): string {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined) throw new UsageError(`completion needs one of ${Object.keys(scripts).join(", ")}.`);
  return script;
}

/** The words that may come next. */
export function completionsOf(names: readonly string[], typed: readonly string[]): string[] {
  const before = typed.slice(0, -1);
  const begun = typed.at(-1) ?? "";
  const next = names
    .map((name) => name.split(" "))
    .filter((words) => before.every((word, at) => words[at] === word))
    .flatMap((words) => words[before.length] ?? [])
    .filter((word) => word.startsWith(begun));
  return [...new Set(next)].sort();
}
