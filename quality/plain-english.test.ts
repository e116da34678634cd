import { describe, expect, test } from "vitest";
import { longerThan, placesOf } from "./plain-english.ts";

/** What readers stumble over, and how often each may still occur. Lower a number when it falls; never raise one. */
const patterns: readonly (readonly [pattern: RegExp, atMost: number])[] = [
  [/\bgood (as|so) long\b/, 0],
  [/\bso (many|long)\b(?! (as|that)\b)/, 0],
  [/\b(is|are|was|were) (still )?at it\b|\bat another write\b/, 2],
  [/\bmend(s|ed|ing)?\b/, 4],
  [/\banew\b/, 13],
  [/\bonce more\b/, 2],
  [/\bwhoever\b/, 23],
  [/\b(tells?|told) of\b/, 6],
  [/(?<!\bthere )\b(is|are|was|were) (no|none)\b(?! (longer|more)\b)/, 5],
  [/\bstands?\b(?! for\b)/, 32],
  [/\blies\b/, 3],
  [/\bof (its|one's|their|your) own\b/, 23],
];

describe("texts, errors, help and documents are in plain English", () => {
  test.each(patterns)("%s occurs at most %i times", (pattern, atMost) => {
    const places = placesOf(pattern);
    expect(places.length, places.join("\n")).toBeLessThanOrEqual(atMost);
  });

  test.each([
    [25, 66],
    [40, 8],
  ])("sentences of more than %i words: at most %i", (words, atMost) => {
    const sentences = longerThan(words);
    expect(sentences.length, sentences.join("\n")).toBeLessThanOrEqual(atMost);
  });
});
