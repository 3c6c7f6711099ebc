/** The page about performance, of which each program that measures writes a section of its own. */
import { readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";

const PAGE = join("docs", "performance.md");

/** The sections, in their order on the page. */
const SECTIONS = [
  "Beside the peer",
  "In a browser",
  "Beside earlier builds",
  "One turn by stage",
  "Growth",
] as const;
type SectionTitle = (typeof SECTIONS)[number];

export async function writeSection(title: SectionTitle, text: string): Promise<void> {
  const page = await readFile(PAGE, "utf8").catch(() => "");
  await writeFile(PAGE, replaceSection(page, title, text));
}

/** The page with this text in the section, and the other sections as they were. */
export function replaceSection(page: string, title: SectionTitle, text: string): string {
  const sections = SECTIONS.flatMap((each) => {
    const body = each === title ? text.trim() : sectionOf(page, each);
    return body === undefined ? [] : [`## ${each}\n\n${body}`];
  });
  return `${["# Performance", ...sections].join("\n\n")}\n`;
}

function sectionOf(page: string, title: SectionTitle): string | undefined {
  const found = page.split(/^## /mu).find((part) => part.startsWith(`${title}\n`));
  return found?.slice(title.length).trim();
}

/** What the figures of a page were measured on. */
export function machine(): string {
  return `${cpus().length} × ${cpus()[0]?.model.trim() ?? "processor"}, Node ${process.version}`;
}
