import { expect, test } from "vitest";
import {
  answersOfContributing,
  emptyNames,
  folderNames,
  house,
  isThere,
  measure,
  namedAfter,
  quantile,
  remarks,
} from "./structure.ts";
import { trials } from "./trials.ts";

const structure = measure();
const above = (measured: readonly { readonly where: string; readonly lines: number }[], most: number) =>
  measured.filter(({ lines }) => lines > most).map(({ where, lines }) => `${where}: ${lines} lines`);

test("no file is longer than 400 lines, one with schemas or laws included; half of them have at most 150", () => {
  expect(above(structure.files, 400)).toEqual([]);
  expect(
    quantile(
      structure.files.map(({ lines }) => lines),
      0.5,
    ),
  ).toBeLessThanOrEqual(150);
  expect(
    quantile(
      structure.files.map(({ lines }) => lines),
      0.9,
    ),
  ).toBeLessThanOrEqual(300);
});

test("no function is longer than 60 lines; half of them have at most 15", () => {
  expect(above(structure.functions, 60)).toEqual([]);
  expect(
    quantile(
      structure.functions.map(({ lines }) => lines),
      0.5,
    ),
  ).toBeLessThanOrEqual(15);
});

test("no function spans more than 120 lines, with the functions inside it", () => {
  expect(above(structure.spans, 120)).toEqual([]);
});

test("no folder holds a single file and nothing else, or more than forty-five; none lies more than two below a package's sources", () => {
  const holdsFolders = (folder: string) => structure.folders.some(({ where }) => where.startsWith(`${folder}/`));
  expect(structure.folders.filter(({ where, lines }) => lines < 2 && !holdsFolders(where))).toEqual([]);
  expect(structure.folders.filter(({ lines }) => lines > 45)).toEqual([]);
  expect(structure.folders.filter(({ where }) => (where.split("/src/")[1] ?? "").split("/").length > 2)).toEqual([]);
});

test("the trials are test files of packages, each named once", () => {
  expect(trials.filter((file) => !isThere(file) || !/^packages\/[^/]+\/test\/.+\.test\.ts$/.test(file))).toEqual([]);
  expect(new Set(trials).size).toBe(trials.length);
});

test("one word has one meaning: no exported name has two homes", () => {
  expect([...structure.homes].filter(([, files]) => files.length > 1)).toEqual([]);
});

test.each([...structure.findings])("the sources do without: %s", (_, places) => {
  expect(places).toEqual([]);
});

test("nothing is suppressed or put off, but for types that must not fit", () => {
  expect(remarks().filter((line) => !/^\S+\.test(-d)?\.ts:\d+ \/\/ @ts-expect-error: /.test(line))).toEqual([]);
});

test("each file is named after what it holds", () => {
  expect(emptyNames()).toEqual([]);
});

test("each folder has a row in ARCHITECTURE, and each row a folder", () => {
  expect(house().folders.toSorted()).toEqual(folderNames().toSorted());
});

test("the glossary has each word that four files or exported types are named after, and none that nothing is named after", () => {
  const { words } = house();
  const names = namedAfter();
  const plain = new Set(["by", "in", "of", "new", "own"]);
  const wanted = [...names].filter(([word, count]) => count >= 4 && !plain.has(word)).map(([word]) => word);
  expect(wanted.filter((word) => !words.has(word))).toEqual([]);
  expect([...words].filter((word) => !names.has(word))).toEqual([]);
});

test("the questions of a maintainer, twenty at least, are answered by what is in the tree", () => {
  const answers = answersOfContributing();
  expect(answers.length).toBeGreaterThanOrEqual(20);
  expect(answers.flat().filter((path) => !isThere(path))).toEqual([]);
});
