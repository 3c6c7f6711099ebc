/** The rules that apply in a folder, each with the place where it stands. */
import { useMemo } from "preact/hooks";
import type { Rule } from "../../protocol/generated/types.ts";
import { createRules } from "../state/decisions.ts";
import { useLoaded } from "../state/loaded.ts";
import { place } from "../state/router.ts";
import { Table } from "../ui/card.tsx";
import { Chip, type ChipProps } from "../ui/chip.tsx";
import { LoadedState } from "../ui/loaded-state.tsx";
import { Note } from "../ui/note.tsx";
import { Empty } from "../ui/states.tsx";
import { VisibleText } from "../ui/visible-text.tsx";
import { FolderFilter } from "./folder-filter.tsx";

const COLUMNS = [
  { name: "Commands that begin with" },
  { name: "Decision" },
  { name: "Why" },
  { name: "Set in" },
];

const DECISIONS: Readonly<Record<Rule["decision"], ChipProps>> = {
  allow: { words: "allowed", tone: "ok", icon: "ok" },
  prompt: { words: "asks", tone: "warn", icon: "warn" },
  forbidden: { words: "forbidden", tone: "bad", icon: "x" },
};

const ORIGINS: Readonly<Record<Rule["origin"], string>> = {
  managed: "administrator",
  user: "user",
  project: "project",
};

export function Rules() {
  const cwd = place.value.query.get("folder");
  const loaded = useMemo(() => createRules(cwd), [cwd]);
  useLoaded(loaded, [loaded]);
  const found = loaded.data.value;
  return (
    <>
      <div class="filters">
        <FolderFilter />
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Rules">
        <LoadedState loaded={loaded} />
        {found !== null && found.faults.length > 0 && (
          <div class="pad stack tight">
            <p>While a file has a fault, no rule that allows is in force, and none of them is listed.</p>
            {found.faults.map(({ path, line, message }) => (
              <Note key={`${path}:${line}:${message}`} tone="bad">
                <code dir="ltr">{placeOf(path, line)}</code>: {message}
              </Note>
            ))}
          </div>
        )}
        {found?.data.length === 0 && (
          <Empty icon="shield" title="There is no rule">
            <p>
              A rule allows, asks about or forbids commands that begin in one way. It is added with an answer,
              or written in a file in the folder <code>rules</code>.
            </p>
          </Empty>
        )}
        {found !== null && found.data.length > 0 && (
          <Table label="Rules" columns={COLUMNS}>
            {found.data.map((rule, index) => (
              <RuleLine key={index} rule={rule} />
            ))}
          </Table>
        )}
        {found?.nextCursor != null && <p class="pad dim">There are more rules than are shown here.</p>}
      </div>
    </>
  );
}

function RuleLine({ rule: { pattern, decision, justification, file, line, origin } }: { rule: Rule }) {
  const words = pattern.map((alternatives) =>
    alternatives.length === 1 ? alternatives[0] : `[${alternatives.join(" | ")}]`,
  );
  return (
    <tr>
      <td data-label="Commands">
        <code class="wraps" dir="ltr">
          <VisibleText text={words.join(" ")} />
        </code>
      </td>
      <td data-label="Decision">
        <Chip {...DECISIONS[decision]} />
      </td>
      <td data-label="Why">
        {justification === null ? (
          <span class="dimmer">–</span>
        ) : (
          <span class="wraps" dir="auto">
            {justification}
          </span>
        )}
      </td>
      <td data-label="Set in">
        {ORIGINS[origin]}
        {file !== null && (
          <span class="sub mono wraps" dir="ltr">
            {placeOf(file, line)}
          </span>
        )}
      </td>
    </tr>
  );
}

const placeOf = (file: string, line: number | null): string => (line === null ? file : `${file}:${line}`);
