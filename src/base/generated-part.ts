/** The part of a page that is written by a program, between two marks; the rest is written by people. */

const END = "<!-- End of what is generated. -->";

/** The page with the part made anew. Throws where it has none from this source. */
export function withGeneratedPart(page: string, source: string, text: string): string {
  const begin = `<!-- Generated from ${source} by \`npm run generate\`. Do not edit. -->`;
  const [before, rest, ...more] = page.split(begin);
  const after = rest?.split(END).slice(1).join(END);
  if (before === undefined || after === undefined || after === "" || more.length > 0)
    throw new Error(`the page needs one part between "${begin}" and "${END}"`);
  return `${before}${begin}\n\n${text}\n${END}${after}`;
}
