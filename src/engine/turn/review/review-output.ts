import { isObject } from "../../../base/json-object.ts";

/** What a reviewer found, in the form that people and the main model read. */
export interface ReviewOutput {
  readonly explanation: string;
  readonly findings: readonly Finding[];
}

interface Finding {
  readonly title: string;
  readonly body: string;
  readonly location: string;
}

/** Reads the reviewer's answer: the JSON it was asked for, also with words around it, or else plain text. */
export function parseReviewOutput(text: string): ReviewOutput {
  const inside = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  return read(text) ?? read(inside) ?? { explanation: text, findings: [] };
}

/** The review as a message. */
export function renderReview({ explanation, findings }: ReviewOutput): string {
  const sections = [explanation.trim(), renderFindings(findings)].filter((section) => section !== "");
  return sections.length === 0 ? "Reviewer failed to output a response." : sections.join("\n\n");
}

function renderFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return "";
  const heading = findings.length > 1 ? "Full review comments:" : "Review comment:";
  return [heading, ...findings.map(renderFinding)].join("\n\n");
}

function renderFinding({ title, body, location }: Finding): string {
  const lines = body === "" ? [] : body.replace(/\n$/, "").split("\n");
  return [`- ${title} — ${location}`, ...lines.map((line) => `  ${line}`)].join("\n");
}

function read(text: string): ReviewOutput | null {
  try {
    return toOutput(JSON.parse(text));
  } catch {
    return null;
  }
}

function toOutput(json: unknown): ReviewOutput | null {
  if (!isObject(json)) return null;
  const { findings, overall_explanation: explanation } = json;
  if (!Array.isArray(findings) || typeof explanation !== "string") return null;
  const read = findings.map(toFinding);
  return read.every((finding) => finding !== null) ? { explanation, findings: read } : null;
}

function toFinding(json: unknown): Finding | null {
  if (!isObject(json)) return null;
  const { title, body, code_location: place } = json;
  if (typeof title !== "string" || typeof body !== "string" || !isObject(place)) return null;
  const { absolute_file_path: path, line_range: range } = place;
  if (typeof path !== "string" || !isObject(range)) return null;
  const { start, end } = range;
  if (typeof start !== "number" || typeof end !== "number") return null;
  return { title, body, location: `${path}:${start}-${end}` };
}
