/** A generated section of a hand-written page, between two markers. */

const END = "<!-- End of what is generated. -->";

/** The page with the section replaced. Throws if it does not have exactly one section from this source. */
export function withGeneratedPart(page: string, source: string, text: string): string {
  const begin = `<!-- Generated from ${source} by \`npm run generate\`. Do not edit. -->`;
  const [before, rest, ...more] = page.split(begin);
  const after = rest?.split(END).slice(1).join(END);
  if (before === undefined || after === undefined || after === "" || more.length > 0)
    throw new Error(`the page needs one part between "${begin}" and "${END}"`);
  return `${before}${begin}\n\n${text}\n${END}${after}`;
}
