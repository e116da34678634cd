import { describe, expect, test } from "vitest";
import { longerThan, placesOf } from "./plain-english.ts";

/**
 * Patterns that readers stumble over, an example of each, and how often it may still occur. Lower a number when it falls; never raise one.
 */
const patterns: readonly (readonly [pattern: RegExp, example: string, atMost: number])[] = [
  [/\bgood (as|so) long\b/, "A token is good so long.", 0],
  [/\bgood for nothing\b/, "The answer is good for nothing.", 0],
  [/\bso (many|long)\b(?! (as|that)\b)/, "A step waits so long.", 0],
  [/\b(is|are|was|were) (still )?at it\b|\bat another write\b/, "The cloud is at it.", 0],
  [/\bmend(s|ed|ing)?\b/, "Mend the receiver.", 0],
  [/\banew\b/, "Begin anew.", 0],
  [/\bonce more\b/, "Once more ends at once.", 0],
  // One is stored, so it can't change.
  [/\bwhoever\b/, "Whoever calls is asked.", 1],
  [/\b(tells?|told) of\b/, "It tells of a change.", 0],
  [/(?<!\bthere )\b(is|are|was|were) (no|none)\b(?! (longer|more)\b)/, "The answer is none of it.", 0],
  [/\bstands?\b(?! for\b)/, "The key stands beside it.", 0],
  [/\blies\b/, "The file lies there.", 0],
  [/\bof (its|one's|their|your) own\b/, "A page of its own.", 1],
];

describe("texts, errors, help and documents are in plain English", () => {
  test.each(patterns)("%s is in “%s”, and occurs at most %i times", (pattern, example, atMost) => {
    expect(example).toMatch(new RegExp(pattern, "i"));
    const places = placesOf(pattern);
    expect(places.length, places.join("\n")).toBeLessThanOrEqual(atMost);
  });

  test.each([
    [25, 12],
    [40, 0],
  ])("sentences of more than %i words: at most %i", (words, atMost) => {
    const sentences = longerThan(words);
    expect(sentences.length, sentences.join("\n")).toBeLessThanOrEqual(atMost);
  });

  test("guides, texts of pages and errors are all read", () => {
    const sources = ["docs/how-to/", "packages/console/src/texts.ts", "packages/core/src/sessions/"];
    const read = placesOf(/\b(the|a)\b/);
    expect(sources.filter((source) => !read.some((place) => place.startsWith(source)))).toEqual([]);
    expect(longerThan(10).length).toBeGreaterThan(100);
  });
});
