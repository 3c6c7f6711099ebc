import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../base/property-runs.fixture.ts";
import commands from "../fixtures/shell-commands.json" with { type: "json" };
import { isPlainScript } from "./is-plain-script.ts";
import { parseShell, parseWithGrammar } from "./parse-shell.ts";
import { scanScript } from "./scan-script.ts";
import { openShellGrammar } from "./shell-grammar.ts";

const grammar = await openShellGrammar();
const unopened = { read: () => expect.unreachable("a plain script was passed to the grammar") };

/** Whether a script is plain; if it is, both ways to read it must agree. */
function checkPlain(script: string): boolean {
  if (!isPlainScript(script)) return false;
  const scanned = scanScript(script, 10_000);
  if (scanned === null) return expect.unreachable(`a plain script cannot be scanned: ${script}`);
  const parsed = parseShell(unopened, script, scanned);
  expect(parsed).not.toBeNull();
  expect(parsed).toStrictEqual(parseWithGrammar(grammar, script));
  return true;
}

const RESERVED = (
  "if then elif else fi for select while until do done case esac in function coproc time declare typeset export " +
  "readonly local unset unsetenv let repeat foreach end nocorrect noglob [[ ]] { } ! test eval exec alias source return"
).split(" ");
const reserved = fc.constantFrom(...RESERVED);
const oneOf = (characters: string) =>
  fc.string({ unit: fc.constantFrom(...characters.split("")), minLength: 1, maxLength: 6 });
const bare = oneOf("abzAZ_019./:,@%+-=-");
const inQuotes = oneOf("ab01 =-/*?$`\\(){}[]<>|&;#~!^%.");
const quoted = inQuotes.chain((text) => fc.constantFrom(`'${text}'`, `"${text}"`));
const word = fc.oneof(
  { weight: 6, arbitrary: bare },
  { weight: 3, arbitrary: quoted },
  { weight: 1, arbitrary: reserved },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.oneof(bare, quoted, reserved), { minLength: 2, maxLength: 4 })
      .map((all) => all.join("")),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "-n",
      "0x1f",
      "-1",
      "1",
      "10#3",
      "a=b",
      "--x=y",
      "''",
      '""',
      "..",
      "a''b",
      ":",
    ),
  },
);
const program = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("ls", "cat", "./run", "/bin/x", "g++", "a_b", "echo", ".", "_") },
  { weight: 1, arbitrary: reserved },
  { weight: 1, arbitrary: word },
);
const blank = fc.constantFrom(" ", " ", " ", " ", " ", "  ");
const oddBlank = fc.constantFrom("\t", "", "\n", "\r", "\\\n", "\u00a0", "\v", "\0", "é", "\u2028");
const operator = fc.constantFrom("&&", "||", ";", "|");
const oddOperator = fc.constantFrom(
  ..."& |& ;; ;& ; && | > < >> 2> << <<< &> ( ) { } # ! = ~ * $( ` \\ ' \"".split(" "),
);

/** Commands and operators with blanks between them, and now and then something that does not belong there. */
function scripts(oddity: number): fc.Arbitrary<string> {
  const often = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
    oddity === 0 ? usual : fc.oneof({ weight: 100, arbitrary: usual }, { weight: oddity, arbitrary: odd });
  const space = often(blank, oddBlank);
  const command = fc
    .tuple(program, fc.array(fc.tuple(space, often(word, oddOperator)), { maxLength: 4 }))
    .map(([name, args]) => name + args.flat().join(""));
  const joint = fc.tuple(fc.constantFrom("", " "), often(operator, oddOperator), fc.constantFrom("", " "));
  return fc
    .tuple(command, fc.array(fc.tuple(joint, command), { maxLength: 3 }), often(fc.constant(""), oddOperator))
    .map(([first, rest, end]) => first + rest.map(([parts, next]) => parts.join("") + next).join("") + end);
}

test("a plain script has the commands that the grammar finds", { timeout: 60_000 }, () => {
  let plain = 0;
  let cases = 0;
  fc.assert(
    fc.property(scripts(0), (script) => {
      cases += 1;
      if (checkPlain(script)) plain += 1;
    }),
    propertyRuns(2000),
  );
  expect(plain / cases).toBeGreaterThan(0.2);
});

test("so has a script that is almost plain, if it counts as plain", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(scripts(10), (script) => {
      checkPlain(script);
    }),
    propertyRuns(2000),
  );
});

test("so has a plain script with any one character replaced, added or removed", { timeout: 60_000 }, () => {
  const hostile = fc.constantFrom(..."$`(){}<>*?[]~!#=\\\"'&|;^%@-+ \t\n\r\0\u007f\u00a0é1a".split(""));
  fc.assert(
    fc.property(scripts(0), fc.nat(), fc.nat(1), hostile, (script, place, removed, character) => {
      const at = place % (script.length + 1);
      checkPlain(script.slice(0, at) + character + script.slice(at + removed));
      checkPlain(script.slice(0, at) + script.slice(at + 1));
    }),
    propertyRuns(2000),
  );
});

test("most commands of the corpus that only read are plain", () => {
  const plain = commands.readers.filter(checkPlain);
  expect(plain.length / commands.readers.length).toBeGreaterThan(0.7);
});

test.each(RESERVED)("a command that begins with %s is plain only for a grammar that agrees", (name) => {
  for (const place of [0, 1, 2, 3]) {
    for (const joint of [" ", "; ", " | ", " && ", "|"]) {
      const words = ["a", "b", "c"];
      words.splice(place, 0, name);
      checkPlain(words.join(joint));
      checkPlain(`${words.join(joint)} d`);
    }
  }
});

test.each([
  "",
  " ",
  "ls &",
  "ls & pwd",
  "ls |& cat",
  "ls ;",
  "ls &&",
  "; ls",
  "| ls",
  "ls ;; pwd",
  "ls | | wc",
  "ls\npwd",
  "ls\r",
  "ls\t-l",
  "ls\0",
  "ls \u007f",
  "ls é",
  "ls 'é'",
  "'ls'",
  '"ls"',
  "l's'",
  "ls ''",
  "ls a''",
  "ls '",
  'ls "',
  "ls 'a'\"",
  "ls 'a\nb'",
  'ls "$A"',
  'ls "`a`"',
  'ls "a\\"b"',
  'ls "!a"',
  "ls $A",
  "ls *",
  "ls a?",
  "ls [a]",
  "ls ~",
  "ls a~b",
  "ls {a,b}",
  "ls =a",
  "ls 'a'=b",
  "ls a^b",
  "ls #a",
  "ls a#b",
  "ls !a",
  "! ls",
  "ls \\a",
  "ls > a",
  "ls 2>&1",
  "cat <<E\nE",
  "cat <<<a",
  "(ls)",
  "{ ls; }",
  "A=1 ls",
  "A=1",
  "a+=b",
  "12 a",
  "-a b",
  "[[ a ]]",
  "if a; then b; fi",
  "time ls",
  "ls; export a",
  "f() ls",
  `ls ${"a".repeat(4100)}`,
])("%j is left to the grammar", (script) => {
  expect(isPlainScript(script)).toBe(false);
});

test("a long script that is not plain is rejected in linear time", () => {
  for (const piece of ["a ", "a 'b' ", "a;", "'a'b", "a  ", "a=", "a|b&&"]) {
    const script = `a ${piece.repeat(4096)}`.slice(0, 4095);
    const start = process.cpuUsage();
    isPlainScript(`${script}$`);
    const { user, system } = process.cpuUsage(start);
    expect(user + system).toBeLessThan(20_000);
  }
});
