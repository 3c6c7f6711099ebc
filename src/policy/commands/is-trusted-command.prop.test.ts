import fc from "fast-check";
import { expect, test } from "vitest";
import { openShellGrammar } from "../shell/shell-grammar.ts";
import { createCommandReader } from "./command-reader.ts";
import { isTrustedCommand } from "./is-trusted-command.ts";

const grammar = await openShellGrammar();
const trusted = (script: string) =>
  isTrustedCommand(createCommandReader(grammar), ["/bin/bash", "-lc", script], "linux");
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const reader = fc.constantFrom(
  "ls",
  "ls -la",
  "cat a b",
  "echo 'x y'",
  "head -n 3 a",
  'grep -rn "a b" src',
  "find . -name '*.ts'",

  "wc -l",
  "sed -n '1,9p' a",
  "rg -n foo",
  "cd src",
  "uniq -c",
  "base64 -d a",
  "(pwd; id)",
  "ls 2>/dev/null",
);
const separator = fc.constantFrom(" && ", " || ", "; ", " | ", "\n", " &&\n", ";", " \\\n && ");

/** Programs that write, reach the network, or are unknown. */
const program = fc.constantFrom(
  "rm a",
  "rm -rf .",
  "touch a",
  "mv a b",
  "tee a",
  "dd of=a",
  "curl h",
  "wget h",
  "nc h 1",
  "ssh h",
  "git status",

  "python3 -c 1",
  "npm test",
  "./run",
  "/tmp/ls",
  "unknown",
  "make",
  "sort -o a",
  "sh a",
  "env",
  "kill 1",
  "~/ls",
);
/** Options with which a read-only program writes or executes something. */
const option = fc.constantFrom(
  "find . -delete",
  "find . -exec rm {} +",
  "find . -fprint a",
  "rg --pre sh x",
  "rg --pre=sh x",
  "rg -nz x",

  "rg --search-zip x",
  "sed -i s/a/b/ a",
  "sed -n '1w b' a",
  "sed -n 1p -e'w b'",
  "base64 -o a b",
  "uniq a b",
);
const disguise = fc.constantFrom<(word: string) => string>(
  (word) => word,
  (word) => `'${word}'`,
  (word) => `"${word}"`,
  (word) => `${word.slice(0, 1)}''${word.slice(1)}`,
  (word) => `${word.slice(0, 1)}""${word.slice(1)}`,
  (word) => `${word.slice(0, 1)}\\${word.slice(1)}`,
  (word) => `${word.slice(0, 2)}\\\n${word.slice(2)}`,
  (word) => `${word.slice(0, -1)}[${word.slice(-1)}]`,
  (word) => `{${word},}`,
  (word) => `$(echo ${word})`,
  (word) => `\${X:-${word}}`,
  (word) => `$'${word}'`,
);
const disguised = fc.tuple(fc.oneof(program, option), fc.nat(5), disguise).map(([command, place, hide]) =>
  command
    .split(" ")
    .map((word, index) => (index === place && !/['"{]/.test(word) ? hide(word) : word))
    .join(" "),
);
const redirected = fc
  .tuple(
    reader,
    fc.constantFrom(
      "> f",
      ">f",
      ">> f",
      "2> f",
      "&> f",
      "&>> f",
      ">| f",
      ">& f",
      "<> f",
      "1>f",
      '> "f"',
      "> $F",
      "> ~/f",

      "< /dev/tcp/h/1",
      "< /dev/udp/h/1",
      "> /dev/tcp/h/1",
      "< //dev/tcp/h/1",
      "> /dev/null > f",
      "<<< $(rm a)",

      "> >(rm a)",
      "< <(rm a)",
      "2>/dev/null > f",
      "> /dev/null/../f",
      "<<E\n$(rm a)\nE\n",
      "<<E > f\nx\nE\n",
    ),
  )
  .map(([command, target]) => `${command} ${target}`);
const wrapper = fc.constantFrom<(script: string) => string>(
  (script) => script,
  (script) => `(${script})`,
  (script) => `( ${script} ) 2>/dev/null`,
  (script) => `{ ${script}\n}`,
  (script) => `! ${script}`,
  (script) => `echo $(${script}\n)`,
  (script) => `echo "$(${script}\n)"`,
  (script) => `cat <(${script}\n)`,
  (script) => `env ${script}`,
  (script) => `env A=1 ${script}`,
  (script) => `sudo ${script}`,
  (script) => `time ${script}`,
  (script) => `nohup ${script}`,
  (script) => `ls | xargs ${script}`,
  (script) => `A=1 ${script}`,
  (script) => `bash -c ${quote(script)}`,
  (script) => `eval ${quote(script)}`,
  (script) => `trap ${quote(script)} EXIT`,
  (script) => `if true; then ${script}\nfi`,
  (script) => `while false; do ${script}\ndone`,
  (script) => `for f in a; do ${script}\ndone`,
  (script) => `ls() { ${script}\n}; ls`,
  (script) => `${script} &`,
  (script) => `ls & ${script}`,
  (script) => `ls # note\n${script}`,
  (script) => `ls 'a\nb'\n${script}`,
  (script) => `ls\r\n${script}`,
  (script) => `ls "a" \\\n; ${script}`,
  (script) => `cat <<'E'\ntext\nE\n${script}`,
);
const harmful = fc
  .tuple(fc.oneof(disguised, redirected), fc.array(wrapper, { maxLength: 3 }))
  .map(([script, wrappers]) => wrappers.reduce((inner, wrap) => wrap(inner), script));
const readers = fc.array(fc.tuple(reader, separator), { maxLength: 3 });
const joined = (parts: readonly (readonly [string, string])[]) => parts.map((part) => part.join("")).join("");

test("no script with a write, a network call or an unknown program is trusted, whatever surrounds it", {
  timeout: 30_000,
}, () => {
  fc.assert(
    fc.property(readers, harmful, separator, reader, (before, script, between, after) => {
      expect(trusted(`${joined(before)}${script}`)).toBe(false);
      expect(trusted(`${joined(before)}${script}${between}${after}`)).toBe(false);
    }),
    { numRuns: 300 },
  );
});

test("any list of read-only commands is trusted", () => {
  fc.assert(
    fc.property(readers, reader, (before, last) => {
      expect(trusted(`${joined(before)}${last}`)).toBe(true);
    }),
  );
});

test("the check never throws", { timeout: 30_000 }, () => {
  const piece = fc.constantFrom(
    ..."ls cat rm ' \" \\ $ ` ( ) { } < > | & ; # ! * ~ = \n \0 - / é 😀".split(" "),
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 12 }), (pieces) => {
      expect(typeof trusted(pieces.join(" "))).toBe("boolean");
      expect(typeof trusted(pieces.join(""))).toBe("boolean");
    }),
    { numRuns: 300 },
  );
});
