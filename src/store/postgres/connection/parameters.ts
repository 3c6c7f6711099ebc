/** Lists of values as parameters of statements. */

/** For `json_to_recordset`. The text type holds neither U+0000 nor half of a surrogate pair. */
export function toRecords(rows: readonly object[]): string {
  const json = JSON.stringify(rows);
  if (!json.includes(String.raw`\u0000`) && !json.includes(String.raw`\ud`)) return json;
  return json.replaceAll(/\\(\\|u0000|ud[89a-f][0-9a-f]{2})/g, (match, escaped: string) =>
    escaped === "\\" ? match : String.raw`\ufffd`,
  );
}

/** For `= ANY ($1::text[])`. */
export function toTextArray(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(",")}}`;
}
