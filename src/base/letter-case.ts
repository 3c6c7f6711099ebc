// The rollout files and old clients write in snake_case what the wire writes in camelCase.

export function toSnake(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function toCamel(text: string): string {
  return text.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
