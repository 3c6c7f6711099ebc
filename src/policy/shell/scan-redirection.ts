/** Reads redirections and here-documents: where they lead does not matter here, what they hand over does. */
import { countToken, type Draft, EXPANSION, readNested, type Scan, take } from "./scan.ts";
import { outputOf, readDoubleQuoted, readWord } from "./scan-word.ts";

const BLANKS = /(?:[ \t]|\\\n)+/y;
const OPERATOR = /<<<|<<-|<<|&>>|&>|<>|>>|>\||>&|<&|[<>]/y;

export function readRedirection(scan: Scan, owner: Draft): void {
  const { text, findings } = scan;
  countToken(scan);
  if (/[<>]\(/.test(text.slice(scan.at, scan.at + 2))) {
    readProcess(scan, owner);
    owner.words.push(EXPANSION);
    return;
  }
  const operator = take(scan, OPERATOR);
  take(scan, BLANKS);
  if (operator === "<" && text.startsWith("<(", scan.at)) {
    readProcess(scan, owner);
    return;
  }
  const start = scan.at;
  const { texts } = readWord(scan);
  if (operator.startsWith("<<")) findings.isSimple = false;
  if (operator === "<<<") owner.input = texts.join(" ");
  else if (operator.startsWith("<<")) {
    findings.heredocs.push({
      owner,
      delimiter: texts[0] ?? "",
      isQuoted: /['"\\]/.test(text.slice(start, scan.at)),
      stripsTabs: operator === "<<-",
    });
  }
}

/** `<(…)` */
function readProcess(scan: Scan, owner: Draft): void {
  const { findings } = scan;
  findings.isSimple = false;
  scan.at += 2;
  const output = outputOf(scan, () => readNested(scan, () => findings.readList(scan, ")")));
  if (output !== EXPANSION) owner.input ??= output;
}

/** The bodies of all here-documents that were opened on the line before. */
export function readHeredocs(scan: Scan): void {
  const { heredocs } = scan.findings;
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

function expandBody({ findings }: Scan, text: string): string {
  const body: Scan = { text, at: 0, findings };
  let read = "";
  readNested(body, () => {
    read = readDoubleQuoted(body, true);
  });
  return read;
}
