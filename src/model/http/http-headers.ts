/** Header names are in lower case here, as Node hands them out. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

export function headerOf(headers: HttpHeaders, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
