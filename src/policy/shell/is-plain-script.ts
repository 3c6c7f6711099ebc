/**
 * Recognizes scripts that a shell, the scanner and the grammar read alike, so that their scanned commands are certain
 * without the grammar. Most commands of models are such scripts, and loading the grammar would delay the first of them.
 */

/** Longer scripts are rare, and the grammar is loaded by the time that it matters. */
const MAX_CHARACTERS = 4096;

/** Words that begin something other than a command, for a shell or for the grammar. */
const RESERVED =
  "if then elif else fi for select while until do done case esac in function coproc time " +
  "declare typeset export readonly local unset unsetenv let repeat foreach end nocorrect noglob";

/**
 * Each text matches in one way only, so that a script that is not plain is rejected in linear time. Anything that a shell
 * may expand is left to the grammar, and so are empty quotes and a word with `=` at its start or after quotes.
 */
const PROGRAM = String.raw`(?!(?:${RESERVED.replaceAll(" ", "|")})(?![\w./+-]))[A-Za-z_./][\w./+-]*`;
const UNQUOTED = String.raw`\w./:,@%+`;
const QUOTED = String.raw`(?:'[ -&(-~]+'|"[ #%-\[\]-_a-~]+")[${UNQUOTED}-]*`;
const WORD = `(?:[${UNQUOTED}-][${UNQUOTED}=-]*|${QUOTED})(?:${QUOTED})*`;
const COMMAND = `${PROGRAM}(?: +${WORD})*`;
const SCRIPT = new RegExp(String.raw`^ *${COMMAND}(?: *(?:&&|\|\|?|;) *${COMMAND})* *$`);

/** Words and quoted texts, joined by `&&`, `||`, `;` and `|`. False does not mean that a script is not of this form. */
export function isPlainScript(script: string): boolean {
  return script.length <= MAX_CHARACTERS && SCRIPT.test(script);
}
