/** Shapes of JSON as data: types, JSON Schemas and checks are all derived from one declaration. */

export type Shape =
  | { readonly kind: "text" }
  | { readonly kind: "flag" }
  | { readonly kind: "integer" }
  | { readonly kind: "anything" }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  | ConstantShape
  | { readonly kind: "nullable"; readonly of: Shape }
  | ObjectShape;

export interface ConstantShape {
  readonly kind: "constant";
  readonly value: string;
  /** What is taken as well, though nobody should write it. */
  readonly tolerated: readonly string[];
}

export interface ObjectShape<M extends Members = Members> {
  readonly kind: "object";
  readonly members: M;
}

export interface Member<S extends Shape = Shape, Required extends boolean = boolean> {
  readonly shape: S;
  readonly isRequired: Required;
  readonly note: string | null;
}

export type Members = Readonly<Record<string, Member>>;

/** The type of the values that have a shape. */
export type Infer<S> = Shape extends S
  ? unknown
  : S extends { readonly kind: "text" }
    ? string
    : S extends { readonly kind: "flag" }
      ? boolean
      : S extends { readonly kind: "integer" }
        ? number
        : S extends { readonly kind: "choice"; readonly values: readonly (infer V)[] }
          ? V
          : S extends { readonly kind: "constant"; readonly value: infer V }
            ? V
            : S extends { readonly kind: "nullable"; readonly of: infer O }
              ? Infer<O> | null
              : S extends { readonly kind: "object"; readonly members: infer M }
                ? InferMembers<M>
                : unknown;

type InferMembers<M> = Flat<
  { readonly [K in keyof M as M[K] extends Member<Shape, true> ? K : never]: InferMember<M[K]> } & {
    readonly [K in keyof M as M[K] extends Member<Shape, true> ? never : K]?: InferMember<M[K]>;
  }
>;

type InferMember<M> = M extends { readonly shape: infer S } ? Infer<S> : never;

type Flat<T> = { readonly [K in keyof T]: T[K] };

export const text = { kind: "text" } as const;
export const flag = { kind: "flag" } as const;
export const integer = { kind: "integer" } as const;
export const anything = { kind: "anything" } as const;

export function choice<const V extends readonly string[]>(values: V) {
  return { kind: "choice", values } as const;
}

export function constant<const V extends string>(value: V, tolerated: readonly string[] = []) {
  return { kind: "constant", value, tolerated } as const;
}

export function nullable<S extends Shape>(of: S) {
  return { kind: "nullable", of } as const;
}

export function object<M extends Members>(members: M): ObjectShape<M> {
  return { kind: "object", members };
}

export function required<S extends Shape>(shape: S, note: string | null = null): Member<S, true> {
  return { shape, isRequired: true, note };
}

/** May be missing, and is not null. */
export function optional<S extends Shape>(shape: S, note: string | null = null): Member<S, false> {
  return { shape, isRequired: false, note };
}

/** May be missing, which null says as well. */
export function maybe<S extends Shape>(shape: S, note: string | null = null) {
  return optional(nullable(shape), note);
}
