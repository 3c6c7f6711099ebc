/** JSON shapes as data: types, JSON Schemas and validation derive from one declaration. */

export type HookShape =
  | { readonly kind: "text" }
  | { readonly kind: "flag" }
  | { readonly kind: "integer" }
  | { readonly kind: "anything" }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  | ConstantShape
  | { readonly kind: "nullable"; readonly of: HookShape }
  | ObjectShape;

export interface ConstantShape {
  readonly kind: "constant";
  readonly value: string;
  /** Values accepted for compatibility and absent from the published schema. */
  readonly tolerated: readonly string[];
}

export interface ObjectShape<M extends Members = Members> {
  readonly kind: "object";
  readonly members: M;
}

export interface ShapeMember<S extends HookShape = HookShape, Required extends boolean = boolean> {
  readonly shape: S;
  readonly isRequired: Required;
  readonly note: string | null;
}

export type Members = Readonly<Record<string, ShapeMember>>;

/** The TypeScript type of values with a shape. */
export type Infer<S> = HookShape extends S
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
  { readonly [K in keyof M as M[K] extends ShapeMember<HookShape, true> ? K : never]: InferMember<M[K]> } & {
    readonly [K in keyof M as M[K] extends ShapeMember<HookShape, true> ? never : K]?: InferMember<M[K]>;
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

export function nullable<S extends HookShape>(of: S) {
  return { kind: "nullable", of } as const;
}

export function object<M extends Members>(members: M): ObjectShape<M> {
  return { kind: "object", members };
}

export function required<S extends HookShape>(shape: S, note: string | null = null): ShapeMember<S, true> {
  return { shape, isRequired: true, note };
}

/** May be absent; null is invalid. */
export function optional<S extends HookShape>(shape: S, note: string | null = null): ShapeMember<S, false> {
  return { shape, isRequired: false, note };
}

/** May be absent or null. */
export function maybe<S extends HookShape>(shape: S, note: string | null = null) {
  return optional(nullable(shape), note);
}
