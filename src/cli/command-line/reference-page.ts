/** Generates the reference page of the command line from the command declarations. */
import type { CommandEntry, OptionSpec } from "./command.ts";
import { explain, type NamedCommand, renderUsage, shownOptions } from "./help.ts";
import { globalOptions } from "./options.ts";
import { loadSubcommand } from "./run-program.ts";

/** Yields all commands in pre-order. */
export async function* walkCommands(program: CommandEntry): AsyncGenerator<NamedCommand> {
  yield* walk({ ...program, command: await program.load() });
}

async function* walk(page: NamedCommand): AsyncGenerator<NamedCommand> {
  yield page;
  for (const entry of page.command.subcommands ?? []) yield* walk(await loadSubcommand(page, entry));
}

export async function renderReferencePage(program: CommandEntry): Promise<string> {
  const sections: string[] = [];
  for await (const page of walkCommands(program)) sections.push(renderSection(page));
  return `# The command line

Written by a program from what the commands declare; \`heddle help COMMAND\` prints the same. \`--\` ends the options.

Most commands take the options about configuration, before a subcommand and behind it:

${renderOptions(globalOptions)}

${sections.join("\n\n")}
`;
}

function renderSection(page: NamedCommand): string {
  const { details, options, examples } = page.command;
  const own = shownOptions(options).filter((option) => !globalOptions.includes(option));
  const isConfigurable = globalOptions.every((option) => options.includes(option));
  const parts = [
    `## ${page.name}`,
    toMarkdown(`${page.summary}.${details === undefined ? "" : ` ${details}`}`),
    `\`\`\`text\n${renderUsage(page).replace("Usage: ", "")}\n\`\`\``,
    ...(own.length === 0 ? [] : [renderOptions(own)]),
    ...(isConfigurable ? ["And the options about configuration."] : []),
    ...(examples.length === 0 ? [] : [renderExamples(examples)]),
  ];
  return parts.join("\n\n");
}

function renderOptions(options: readonly OptionSpec[]): string {
  return options
    .map((option) => {
      const value = option.value === undefined ? "" : ` <${option.value}>`;
      const short = option.short === undefined ? "" : `\`-${option.short}\`, `;
      return `- ${short}\`--${option.name}${value}\`: ${toMarkdown(explain(option))}`;
    })
    .join("\n");
}

/** Escapes placeholders such as `<N>`, which Markdown would read as tags. */
function toMarkdown(text: string): string {
  return text.replaceAll("<", "\\<");
}

function renderExamples(examples: NamedCommand["command"]["examples"]): string {
  const lines = examples.map(({ command, description }) => `# ${description}\n${command}`);
  return `\`\`\`sh\n${lines.join("\n")}\n\`\`\``;
}
