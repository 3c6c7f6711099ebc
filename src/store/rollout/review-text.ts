// What a review said, which the files keep in parts and the wire as one text.
import type { JsonObject } from "../../base/json-object.ts";
import { numberOf, objectOf, objectsOf, textOf } from "./members.ts";

const NO_ANSWER = "Reviewer failed to output a response.";

export function storeReview(text: string): JsonObject | null {
  if (text === NO_ANSWER) return null;
  return { findings: [], overall_correctness: "", overall_explanation: text, overall_confidence_score: 0 };
}

export function readReview(stored: JsonObject | null): string {
  if (stored === null) return NO_ANSWER;
  const findings = objectsOf(stored, "findings");
  const title = findings.length > 1 ? "Full review comments:" : "Review comment:";
  const comments = findings.length === 0 ? "" : [title, ...findings.map(findingText)].join("\n\n");
  const sections = [(textOf(stored, "overall_explanation") ?? "").trim(), comments.trim()];
  return sections.filter((section) => section !== "").join("\n\n") || NO_ANSWER;
}

function findingText(finding: JsonObject): string {
  const location = objectOf(finding, "code_location") ?? {};
  const range = objectOf(location, "line_range") ?? {};
  const place = `${textOf(location, "absolute_file_path") ?? ""}:${numberOf(range, "start") ?? 0}-${numberOf(range, "end") ?? 0}`;
  const body = (textOf(finding, "body") ?? "")
    .split(/\r?\n/)
    .filter((line, at, all) => line !== "" || at < all.length - 1);
  return [`- ${textOf(finding, "title") ?? ""} — ${place}`, ...body.map((line) => `  ${line}`)].join("\n");
}
