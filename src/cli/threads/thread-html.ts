/** Renders a thread as one HTML file, turn by turn. What renders it is a bundle of its own, loaded when it is needed. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { ThreadPage, ThreadPageModule } from "../../console/export/page-format.ts";
import type { Thread, TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import { toDecision } from "../../runtime/questions/show-question.ts";
import type { Decisions } from "../../store/decisions.ts";
import type { ExportFormat } from "./export-format.ts";
import type { Redaction } from "./redact-thread.ts";
import type { TurnNotes } from "./turn-notes.ts";

/** The files of the bundle, as the build writes them beside the program. */
const SCRIPT = "thread-page.cjs";
const STYLE = "thread-page.css";

/** Decisions of a turn beyond these are left out, the oldest first. */
const MAX_DECISIONS = 1000;

interface HtmlSources {
  readonly decisions: Decisions;
  readonly notes: TurnNotes;
  readonly redaction: Redaction;
}

export async function createThreadHtml(
  thread: Thread,
  total: TokenUsageBreakdown | null,
  { decisions, notes, redaction }: HtmlSources,
): Promise<ExportFormat> {
  const page = await loadThreadPage();
  return {
    head: page.head(redaction.value(thread), total),
    async toText(turn) {
      const asked = await decisions.list({ threadId: thread.id, turnId: turn.id, limit: MAX_DECISIONS });
      return page.turn({
        turn: redaction.turn(turn),
        tokens: notes.tokens.get(turn.id) ?? null,
        plan: redaction.value(notes.plans.get(turn.id) ?? []),
        decisions: redaction.value(asked.toReversed().map(toDecision)),
      });
    },
    end: page.end,
  };
}

async function loadThreadPage(): Promise<ThreadPage> {
  const css = await readFile(fileURLToPath(new URL(STYLE, import.meta.url)), "utf8");
  const sha256 = createHash("sha256").update(css).digest("base64");
  const { createThreadPage } = createRequire(import.meta.url)(`./${SCRIPT}`) as ThreadPageModule;
  return createThreadPage({ css, sha256 });
}
