/** The messages of a page as a body, and as events of SSE. */

const OPEN = Buffer.from("[");
const CLOSE = Buffer.from("]");
const COMMA = Buffer.from(",");

/** JSON messages are the elements of one array; those of other types follow each other. */
export function encodeBody(contentType: string, messages: readonly Uint8Array[]): Buffer {
  if (!isJson(contentType)) return Buffer.concat(messages);
  const parts = messages.flatMap((message, index) => (index === 0 ? [message] : [COMMA, message]));
  return Buffer.concat([OPEN, ...parts, CLOSE]);
}

/** Whether SSE, which has texts only, sends the messages in base64. */
export function isSentAsBase64(contentType: string): boolean {
  return !isJson(contentType) && !contentType.startsWith("text/");
}

export function encodeData(contentType: string, messages: readonly Uint8Array[]): string {
  const encoding = isSentAsBase64(contentType) ? "base64" : "utf8";
  return encodeEvent("data", encodeBody(contentType, messages).toString(encoding));
}

/** A blank line ends an event, so each line of a text is a field of its own; readers remove one space before it. */
export function encodeEvent(name: string, text: string): string {
  const fields = text
    .split(/\r\n|\r|\n/u)
    .map((line) => (line.startsWith(" ") ? `data: ${line}\n` : `data:${line}\n`));
  return `event: ${name}\n${fields.join("")}\n`;
}

function isJson(contentType: string): boolean {
  return contentType.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}
