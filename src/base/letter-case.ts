// Rollout files and legacy clients use snake_case where the wire uses camelCase.

export function toSnake(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function toCamel(text: string): string {
  return text.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
