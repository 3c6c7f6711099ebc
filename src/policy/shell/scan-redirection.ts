/** Scans redirections and here-documents for the input that they provide; their targets are irrelevant here. */
import { type CommandDraft, countToken, EXPANSION, readNested, type Scan, takeMatch } from "./scan.ts";
import { outputOf, readDoubleQuoted, readWord } from "./scan-word.ts";

const BLANKS = /(?:[ \t]|\\\n)+/y;
const OPERATOR = /<<<|<<-|<<|&>>|&>|<>|>>|>\||>&|<&|[<>]/y;

export function readRedirection(scan: Scan, owner: CommandDraft): void {
  const { text, state } = scan;
  countToken(scan);
  if (/[<>]\(/.test(text.slice(scan.at, scan.at + 2))) {
    readProcess(scan, owner);
    owner.words.push(EXPANSION);
    return;
  }
  const operator = takeMatch(scan, OPERATOR);
  takeMatch(scan, BLANKS);
  if (operator === "<" && text.startsWith("<(", scan.at)) {
    readProcess(scan, owner);
    return;
  }
  const start = scan.at;
  const { texts } = readWord(scan);
  if (operator.startsWith("<<")) state.isSimple = false;
  if (operator === "<<<") owner.input = texts.join(" ");
  else if (operator.startsWith("<<")) {
    state.heredocs.push({
      owner,
      delimiter: texts[0] ?? "",
      isQuoted: /['"\\]/.test(text.slice(start, scan.at)),
      stripsTabs: operator === "<<-",
    });
  }
}

/** `<(…)` */
function readProcess(scan: Scan, owner: CommandDraft): void {
  const { state } = scan;
  state.isSimple = false;
  scan.at += 2;
  const output = outputOf(scan, () => readNested(scan, () => state.readList(scan, ")")));
  if (output !== EXPANSION) owner.input ??= output;
}

/** Reads the bodies of all here-documents that were opened on the previous line. */
export function readHeredocs(scan: Scan): void {
  const { heredocs } = scan.state;
  for (const { owner, delimiter, isQuoted, stripsTabs } of heredocs.splice(0)) {
    const lines: string[] = [];
    for (let isOpen = true; isOpen && scan.at < scan.text.length; ) {
      const line = stripsTabs ? nextLine(scan).replace(/^\t+/, "") : nextLine(scan);
      isOpen = line !== delimiter;
      if (isOpen) lines.push(line);
    }
    const body = lines.join("\n");
    owner.input = isQuoted ? body : expandBody(scan, body);
  }
}

function nextLine(scan: Scan): string {
  const { text, at } = scan;
  const end = text.indexOf("\n", at);
  scan.at = end < 0 ? text.length : end + 1;
  return text.slice(at, end < 0 ? undefined : end);
}

function expandBody({ state }: Scan, text: string): string {
  const body: Scan = { text, at: 0, state };
  let read = "";
  readNested(body, () => {
    read = readDoubleQuoted(body, true);
  });
  return read;
}
