/** The dark squares of a QR code as one path, a rectangle for each run of them in a row. */
export function qrPath(rows: readonly (readonly boolean[])[]): string {
  const parts: string[] = [];
  for (const [y, row] of rows.entries()) {
    let from = -1;
    for (let x = 0; x <= row.length; x += 1) {
      const isDark = row[x] ?? false;
      if (isDark && from === -1) from = x;
      if (isDark || from === -1) continue;
      parts.push(`M${from} ${y}h${x - from}v1h-${x - from}z`);
      from = -1;
    }
  }
  return parts.join("");
}
