import { expect, test } from "vitest";
import { parseAws } from "../../src/aws/aws-xml.ts";

test.each<[string, string, object]>([
  ["JSON", '{"a":1}', { a: 1 }],
  [
    "the outermost element's contents",
    '<?xml version="1.0"?>\n<R xmlns="x">\n <A>1</A>\n <B><C>2</C></B>\n</R>',
    { A: "1", B: { C: "2" } },
  ],
  ["lists", "<R><L><member><A>1</A></member><member><A>2</A></member></L></R>", { L: [{ A: "1" }, { A: "2" }] }],
  ["empty elements", "<R><A/><B></B><C x='1' /></R>", { A: "", B: "", C: "" }],
  [
    "escaped signs",
    "<R><A>&lt;&amp;lt;&gt;&quot;&apos;&#10;&#x1F600;&none;&#x999999;</A></R>",
    { A: "<&lt;>\"'\n😀&none;&#x999999;" },
  ],
  ["literal parts and comments", "<R><!-- <A>0</A> --><A>a<![CDATA[<b>&amp;]]>c</A></R>", { A: "a<b>&amp;c" }],
  ["an end that is missing", "<R><A>1</A>", {}],
  ["an end of another element", "<R><A>1</B></R>", {}],
  ["a text alone", "<R>1</R>", {}],
  ["a page of a proxy", "<!doctype html><html><br><p>Sorry</html>", {}],
])("%s", (_, text, expected) => {
  expect(parseAws(text)).toEqual(expected);
});
