/** Where the caret is in a declaration that somebody is typing. */
export interface DeclarationCursor {
  /** The members that lead to the object or list at the caret; `*` is an item of a list. */
  readonly path: readonly string[];
  /** A member is being named; otherwise its value is being written. */
  readonly isMember: boolean;
  /** What is typed of it so far, without a quote. */
  readonly typed: string;
  /** What a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  /** The members that the object already has. */
  readonly present: ReadonlySet<string>;
  readonly isYaml: boolean;
}

/** Finds where the caret is; `null` in the middle of something that isn't completed, such as a comment or a finished value. */
export function cursorIn(text: string, caret: number): DeclarationCursor | null {
  if (/^\s*[{[]/.test(text)) return cursorInFlow({ text, caret, start: 0, above: [], isYaml: false });
  const start = text.lastIndexOf("\n", caret - 1) + 1;
  const block = text.slice(start, caret);
  if (/(?:^|\s)#/.test(block)) return null;
  const brace = block.search(/(?<=^|\s)[{[]/);
  const { dashes, column, member, value } = partsOf(brace === -1 ? block : block.slice(0, brace));
  const { path, present } = around(text, start, { dashes, column });
  const within = member === null ? path : [...path, member];
  if (brace !== -1) return cursorInFlow({ text, caret, start: start + brace, above: within, isYaml: true });
  if (!/^[\w$./@-]*$/.test(value)) return null;
  const to = caret + (/^[\w$-]*/.exec(text.slice(caret))?.[0].length ?? 0);
  return {
    path: within,
    isMember: member === null,
    typed: value,
    from: caret - value.length,
    to,
    present,
    isYaml: true,
  };
}

interface Flow {
  readonly text: string;
  readonly caret: number;
  /** Where the outermost brace is. */
  readonly start: number;
  /** The members that lead to it. */
  readonly above: readonly string[];
  readonly isYaml: boolean;
}

const token = /"(?:[^"\\\n]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The object or list that is open at some place. */
interface Open {
  readonly isList: boolean;
  readonly present: Set<string>;
  /** The member whose value is next; `null`: a member's name is next. */
  member: string | null;
}

/** JSON, or braces within YAML. */
function cursorInFlow({ text, caret, start, above, isYaml }: Flow): DeclarationCursor | null {
  const open: Open[] = [];
  let last = "";
  for (const { 0: word, index } of text.slice(start, caret).matchAll(token)) {
    const isTyped = start + index + word.length === caret && !/^[{}[\],:]$/.test(word);
    const isOpenText = word.startsWith('"') && (word.length === 1 || !/[^\\]"$/.test(word));
    if (isTyped && word.startsWith('"') && !isOpenText) return null;
    if (isTyped) last = word;
    else take(open, word);
  }
  const here = open.at(-1);
  if (here === undefined) return null;
  const to = caret + (/^[\w$./@-]*"?/.exec(text.slice(caret))?.[0].length ?? 0);
  const isMember = !here.isList && here.member === null;
  const path = [...above, ...open.slice(0, -1).map(stepOf), ...(isMember ? [] : [stepOf(here)])];
  for (const name of membersAfter(text.slice(to))) here.present.add(name);
  return {
    path,
    isMember,
    typed: last.replace(/^"/, ""),
    from: caret - last.length,
    to,
    present: here.present,
    isYaml,
  };
}

function take(open: Open[], word: string): void {
  const here = open.at(-1);
  if (word === "{" || word === "[") open.push({ isList: word === "[", present: new Set(), member: null });
  else if (word === "}" || word === "]") open.pop();
  else if (word === "," && here !== undefined) here.member = null;
  else if (word !== ":" && here !== undefined && !here.isList && here.member === null) {
    here.member = word.replaceAll('"', "");
    here.present.add(here.member);
  }
}

const stepOf = ({ isList, member }: Open): string => (isList ? "*" : (member ?? ""));

/** The members that follow in the same object. */
function membersAfter(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let before = "";
  for (const [word] of text.matchAll(token)) {
    if (word === "}" || word === "]") depth--;
    else if (word === "{" || word === "[") depth++;
    else if (word === ":" && depth === 0) found.push(before.replaceAll('"', ""));
    if (depth < 0) break;
    before = word;
  }
  return found;
}

/** A line of YAML: where its dashes are, where its member begins, and what follows it. */
interface Parts {
  readonly dashes: readonly number[];
  readonly column: number;
  readonly member: string | null;
  readonly value: string;
}

function partsOf(line: string): Parts {
  const lead = /^\s*(?:- +)*/.exec(line)?.[0] ?? "";
  const dashes = [...lead.matchAll(/-/g)].map(({ index }) => index);
  const rest = line.slice(lead.length);
  const [, member = null, value = ""] = /^([\w$]+):(?:\s+(.*)|$)/.exec(rest) ?? [];
  return { dashes, column: lead.length, member, value: member === null ? rest : value };
}

/** The members above a line, and those beside it, by their columns. */
function around(text: string, start: number, at: Pick<Parts, "dashes" | "column">) {
  const path: string[] = at.dashes.map(() => "*");
  const present = new Set<string>();
  let [column, isItem] = [at.dashes[0] ?? at.column, at.dashes.length > 0];
  let isBeside = !isItem;
  for (const line of text.slice(0, start).split("\n").toReversed().slice(1)) {
    const parts = partsOf(line);
    if (parts.member === null) continue;
    if (isBeside && parts.column === column) present.add(parts.member);
    const first = parts.dashes[0];
    if (first !== undefined && parts.column === column && !isItem) {
      path.unshift(...parts.dashes.map(() => "*"));
      [column, isItem, isBeside] = [first, true, false];
    } else if (parts.column < column || (isItem && parts.column === column && first === undefined)) {
      path.unshift(...parts.dashes.map(() => "*"), parts.member);
      [column, isItem, isBeside] = [first ?? parts.column, first !== undefined, false];
    }
  }
  for (const line of text.slice(start).split("\n").slice(1)) {
    const parts = partsOf(line);
    if (line.trim() !== "" && (parts.column < at.column || parts.dashes.length > 0)) break;
    if (parts.member !== null && parts.column === at.column) present.add(parts.member);
  }
  return { path, present };
}
