import type { ClientRequests } from "../protocol/generated/types.ts";

export type Method = keyof ClientRequests;

type Call<M extends Method> = ClientRequests[M]["params"] extends infer Params
  ? undefined extends Params
    ? (params?: Params) => Promise<ClientRequests[M]["result"]>
    : (params: Params) => Promise<ClientRequests[M]["result"]>
  : never;

/** `thread/name/set` becomes `{ thread: { name: { set } } }`. */
type Nested<Path extends string, Leaf> = Path extends `${infer Head}/${infer Rest}`
  ? { readonly [K in Head]: Nested<Rest, Leaf> }
  : { readonly [K in Path]: Leaf };

type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** Every request of the protocol as a function, by the parts of its name: `client.thread.start({})`. */
export type Methods = Intersection<{ [M in Method]: Nested<M, Call<M>> }[Method]>;

export type SendRequest = (method: string, params: unknown) => Promise<unknown>;

/** Makes the functions as they are named; nothing about the protocol is written down a second time. */
export function createMethods(send: SendRequest): Methods {
  return branch("", send) as Methods;
}

function branch(path: string, send: SendRequest): unknown {
  const call = (params?: unknown) => send(path, params ?? {});
  return new Proxy(call, {
    get(_target, name) {
      // A promise is recognised by `then`; a branch that had one would be awaited by mistake.
      if (typeof name !== "string" || name === "then") return undefined;
      return branch(path === "" ? name : `${path}/${name}`, send);
    },
  });
}
