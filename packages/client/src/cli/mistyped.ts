import { UsageError } from "../usage-error.ts";

/** What was probably meant, to append to a refusal; empty if nothing is similar. Its code is loaded only for a mistake. */
export async function suggestion(word: string, known: readonly string[]): Promise<string> {
  const core = await import("@liveplane/core");
  return core.didYouMean(word, known);
}

/** The refusal of words that no command or operation has as its name. */
export async function unknownWords(words: readonly string[], names: readonly string[]): Promise<UsageError> {
  const split = names.map((name) => name.split(" "));
  const after = (count: number) => split.filter((name) => words.slice(0, count).every((word, at) => name[at] === word));
  let count = words.length;
  while (after(count).length === 0) count--;
  const group = words.slice(0, count).join(" ");
  const word = words[count];
  const areas = areasWith(words[0] ?? "", split);
  if (word === undefined)
    return new UsageError(
      `${group} needs another word${asked([...after(count).map((name) => name.join(" ")), ...areas])}`,
    );
  const meant = await suggestion(word, [...new Set(after(count).flatMap((name) => name[count] ?? []))]);
  if (group === "")
    return new UsageError(`There is no command ${word}${asked(areas) || meant || ". Run liveplane help for a list."}`);
  const where = `. liveplane ${group} --help lists them.`;
  return new UsageError(`${group} has no operation ${word}${meant || asked(areas) || where}`);
}

/** The areas of the API with a word in their name: `teams` is in `organizations teams`. */
function areasWith(word: string, names: readonly (readonly string[])[]): string[] {
  const areas = names.flatMap((name) =>
    name.slice(1, -1).includes(word) ? name.slice(0, name.indexOf(word, 1) + 1).join(" ") : [],
  );
  return [...new Set(areas)];
}

const asked = (meant: readonly string[]) => (meant.length === 0 ? "" : `; did you mean ${meant.join(" or ")}?`);
