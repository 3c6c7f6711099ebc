import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCitationTags, parseMemoryCitation, splitCitations } from "./memory-citation.ts";
import { createPlanTags, type PlanPiece, splitPlan } from "./message-tags.ts";

/** Text with many tags and near-tags. */
const tagged = fc
  .array(
    fc.constantFrom(
      "<oai-mem-citation>",
      "</oai-mem-citation>",
      "<oai-mem",
      "<proposed_plan>",
      "</proposed_plan>",
      "<proposed",
      "\n",
      " ",
      "word",
      "<",
    ),
  )
  .map((parts) => parts.join(""));
const cuts = fc.array(fc.nat({ max: 12 }));

function inPieces(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (const length of lengths) {
    pieces.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return [...pieces, rest];
}

describe("citations in a text", () => {
  it("are taken out, and one that is still open takes the rest", () => {
    expect(splitCitations("a<oai-mem-citation>b</oai-mem-citation>c<oai-mem-citation>d")).toStrictEqual({
      text: "ac",
      citations: ["b", "d"],
    });
  });

  it("are the same however the text is cut into pieces", () => {
    fc.assert(
      fc.property(tagged, cuts, (text, lengths) => {
        const tags = createCitationTags();
        const shown = inPieces(text, lengths)
          .map((piece) => tags.push(piece))
          .join("");
        const all = { text: shown + tags.finish(), citations: tags.found };
        expect(all).toStrictEqual(splitCitations(text));
      }),
    );
  });

  it("that are never closed take a time that grows as they do", () => {
    const tags = createCitationTags();
    tags.push("<oai-mem-citation>");
    const startedAt = performance.now();
    for (let count = 0; count < 300_000; count += 1) tags.push("a piece of text <");
    tags.finish();
    expect([tags.found[0]?.length, performance.now() - startedAt < 10_000]).toEqual([300_000 * 17, true]);
  });

  it("name places and threads", () => {
    const citation =
      "<citation_entries>\nMEMORY.md:1-2|note=[first]\nodd line\nC:\\a.md:3 - 4|note=[ second ]\n</citation_entries>\n<rollout_ids>\nt1\n\nt1\nt2\n</rollout_ids>";
    expect(parseMemoryCitation([citation, "<thread_ids>t3</thread_ids>"])).toStrictEqual({
      entries: [
        { path: "MEMORY.md", lineStart: 1, lineEnd: 2, note: "first" },
        { path: "C:\\a.md", lineStart: 3, lineEnd: 4, note: "second" },
      ],
      threadIds: ["t1", "t2", "t3"],
    });
    expect(parseMemoryCitation(["hidden"])).toBeNull();
  });
});

describe("a plan in a text", () => {
  it.each([
    ["Pre\n<proposed_plan>\n# A\n</proposed_plan>\nPost", { text: "Pre\nPost", plan: "# A\n" }],
    ["<proposed_plan>\nA\n</proposed_plan>\n<proposed_plan>\nB\n</proposed_plan>", { text: "", plan: "B\n" }],
    ["  <proposed_plan>  \nA\n  more", { text: "", plan: "A\n  more" }],
    ["<proposed_plan> x\nA", { text: "<proposed_plan> x\nA", plan: null }],
    ["x <proposed_plan>\nA", { text: "x <proposed_plan>\nA", plan: null }],
    ["</proposed_plan>\nA", { text: "</proposed_plan>\nA", plan: null }],
    ["<proposed_plan>", { text: "", plan: "" }],
    [`${" ".repeat(300)}<proposed_plan>\nA`, { text: `${" ".repeat(300)}<proposed_plan>\nA`, plan: null }],
    ["", { text: "", plan: null }],
  ])("%j is split", (text, expected) => {
    expect(splitPlan(text)).toStrictEqual(expected);
  });

  it("is the same however the text is cut into pieces", () => {
    fc.assert(
      fc.property(tagged, cuts, (text, lengths) => {
        const tags = createPlanTags();
        const pieces = inPieces(text, lengths).flatMap((piece) => tags.push(piece));
        expect(merge([...pieces, ...tags.finish()])).toStrictEqual(merge(wholeOf(text)));
      }),
    );
  });
});

function wholeOf(text: string): readonly PlanPiece[] {
  const tags = createPlanTags();
  return [...tags.push(text), ...tags.finish()];
}

/** Pieces as one text each, with a mark where a plan begins. */
function merge(pieces: readonly PlanPiece[]): string[] {
  const merged: string[] = [];
  let last = "";
  for (const piece of pieces) {
    const text = piece.kind === "planStart" ? "[plan]" : piece.text;
    if (piece.kind === last && piece.kind !== "planStart") merged.push(`${merged.pop() ?? ""}${text}`);
    else merged.push(text);
    last = piece.kind;
  }
  return merged;
}
