import { type Command, type CommandEntry, UsageError } from "../command-line/command.ts";
import { completeWords } from "../command-line/complete-words.ts";

/** The scripts call the program for candidates, so that every shell offers the same. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_heddle() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(heddle completion candidates -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _heddle heddle
`,
  zsh: `#compdef heddle
_heddle() {
  local line
  local -a found
  for line in "\${(@f)$(heddle completion candidates -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#found )); then
    _describe heddle found
  else
    _files
  fi
}
if [[ $funcstack[1] == _heddle ]]; then
  _heddle "$@"
else
  compdef _heddle heddle
fi
`,
  fish: `function __heddle_find
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -g __heddle_found (heddle completion candidates -- $typed[2..-1] "$current" 2>/dev/null)
    test (count $__heddle_found) -gt 0
end
complete -c heddle -n __heddle_find -f -a '$__heddle_found'
`,
};

const SHELLS = Object.keys(SCRIPTS);

/** `heddle completion` prints the script of a shell; `candidates` in place of a shell prints the candidates for the given words. */
export function completionOf(program: CommandEntry): Command {
  return {
    details: `A shell is one of ${SHELLS.join(", ")}. With \`candidates\` in its place, what can follow the given words is printed, for scripts of your own.`,
    operands: "<SHELL> [WORD...]",
    options: [],
    examples: [
      {
        command: "source <(heddle completion bash)",
        description: "For this shell; in ~/.bashrc for every one",
      },
      {
        command: "heddle completion zsh > ~/.zfunc/_heddle",
        description: "Where a folder of $fpath is meant",
      },
      { command: "heddle completion fish > ~/.config/fish/completions/heddle.fish", description: "For fish" },
    ],
    async run({ operands: [shell = "", ...words] }) {
      process.stdout.write(await print(program, shell, words));
      return 0;
    },
  };
}

async function print(program: CommandEntry, shell: string, words: readonly string[]): Promise<string> {
  if (shell === "candidates") {
    const found = await completeWords(program, words);
    return found.map(({ word, description }) => `${word}\t${description}\n`).join("");
  }
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw new UsageError(`there is no script for '${shell}': expected one of ${SHELLS.join(", ")}`);
  if (words[0] !== undefined) throw new UsageError(`unexpected argument '${words[0]}' found`);
  return script;
}
