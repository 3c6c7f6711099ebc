/** The variables of a process, or what stands for them. */
export type Environment = Readonly<Record<string, string | undefined>>;
