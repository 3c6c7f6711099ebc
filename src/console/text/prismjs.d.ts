declare module "prismjs/components/*.js" {
  const Prism: {
    readonly languages: Readonly<Record<string, unknown>>;
    tokenize(text: string, grammar: unknown): unknown;
  };
  export default Prism;
}
