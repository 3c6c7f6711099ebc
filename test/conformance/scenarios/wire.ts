/** What is a message, what is not, and what the server does with the rest. */
import type { Scenario } from "../scenario.ts";
import {
  call,
  initialize,
  raw,
  reply,
  STDIO,
  STDIO_AND_WS,
  send,
  settle,
  stillServes,
  WS,
} from "../steps.ts";

const LOADED = { result: { data: [], nextCursor: null } };

export const wireScenarios: readonly Scenario[] = [
  {
    name: "wire/junk-is-ignored",
    about:
      "What is not JSON, or is JSON of no message's shape, is not answered and does not end the connection.",
    transports: STDIO_AND_WS,
    steps: [
      raw("this is not JSON"),
      raw("[]"),
      initialize(),
      ...["{", "", "   ", "null", "42", '"text"', "[]", "{}", '{"foo":1}', "[1,2]"].map((text) => raw(text)),
      raw('[{"id":1,"method":"thread/loaded/list","params":{}}]'),
      raw('{"id":null,"method":"thread/loaded/list","params":{}}'),
      raw('{"id":true,"method":"thread/loaded/list","params":{}}'),
      raw('{"id":{},"method":"thread/loaded/list","params":{}}'),
      raw('{"id":1.5,"method":"thread/loaded/list","params":{}}'),
      raw('{"id":1,"method":7}'),
      stillServes("after junk"),
    ],
  },
  {
    name: "wire/ids-come-back-as-sent",
    about: "A request id is a string or an integer and is echoed as it came; ids may be used again.",
    transports: STDIO_AND_WS,
    steps: [
      initialize(undefined, { id: "initialize" }),
      ...["", "a string", "1", 1, 0, -7, 9007199254740991].map((id, index) =>
        call("thread/loaded/list", {}, { as: `id ${index}`, id, expect: { id, ...LOADED } }),
      ),
      call("thread/loaded/list", {}, { as: "same id again", id: 1, expect: { id: 1, ...LOADED } }),
    ],
  },
  {
    name: "wire/jsonrpc-member",
    about: "A jsonrpc member is accepted whatever it says, and none is sent back.",
    transports: STDIO_AND_WS,
    steps: [
      raw(
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"probe","title":null,"version":"1.0.0"}}}',
      ),
      { do: "await", message: { id: 1, result: {}, jsonrpc: { $absent: true } } },
      settle(),
      raw('{"jsonrpc":"1.0","id":2,"method":"thread/loaded/list","params":{}}'),
      { do: "await", message: { id: 2, jsonrpc: { $absent: true } } },
    ],
  },
  {
    name: "wire/unknown-members",
    about: "Members that the protocol does not know are ignored, beside the method and inside params.",
    transports: STDIO_AND_WS,
    steps: [
      initialize(),
      raw('{"id":10,"method":"thread/loaded/list","params":{"futureField":{"a":1}},"future":true}'),
      { do: "await", message: { id: 10, ...LOADED } },
      raw(
        '{"id":11,"method":"thread/loaded/list","params":{},"trace":{"traceparent":null,"tracestate":null}}',
      ),
      { do: "await", message: { id: 11, ...LOADED } },
    ],
  },
  {
    name: "wire/params",
    about:
      "Params may be left out only where the method takes none; null counts as nothing and a list is an error.",
    transports: STDIO_AND_WS,
    steps: [
      initialize(),
      call("thread/loaded/list", undefined, {
        as: "params left out",
        expect: { error: { code: -32600, message: "Invalid request: missing field `params`" } },
      }),
      call("thread/loaded/list", null, { as: "params null" }),
      call("thread/loaded/list", [], { as: "params a list" }),
      call("thread/loaded/list", "text", { as: "params a text" }),
      call("configRequirements/read", undefined, { as: "no params wanted", expect: { result: {} } }),
      call("configRequirements/read", null, { as: "no params wanted, null", expect: { result: {} } }),
      call("configRequirements/read", {}, { as: "no params wanted, object" }),
    ],
  },
  {
    name: "wire/responses-nobody-asked-for",
    about: "A response or an error with an id that the server never used is dropped.",
    transports: STDIO_AND_WS,
    steps: [
      initialize(),
      raw('{"id":4711,"result":{}}'),
      raw('{"id":"nobody","result":null}'),
      raw('{"id":4711,"error":{"code":-1,"message":"no"}}'),
      stillServes("after stray responses"),
    ],
  },
  {
    name: "wire/notifications-from-the-client",
    about: "Notifications from the client are never answered, known or not, before or after the handshake.",
    transports: STDIO_AND_WS,
    steps: [
      { do: "notify", method: "initialized" },
      { do: "notify", method: "no/such/notification", params: { a: 1 } },
      initialize(),
      { do: "notify", method: "initialized" },
      { do: "notify", method: "initialized", params: {} },
      { do: "notify", method: "no/such/notification", params: { a: 1 } },
      { do: "notify", method: "thread/loaded/list", params: {} },
      stillServes("after notifications"),
    ],
  },
  {
    name: "wire/initialized-is-optional",
    about: "Requests work right after the initialize answer, without the initialized notification.",
    transports: STDIO_AND_WS,
    steps: [initialize(), stillServes("without initialized")],
  },
  {
    name: "wire/notifications-carry-their-time",
    about: "A notification carries emittedAtMs beside method and params; responses do not.",
    transports: STDIO_AND_WS,
    steps: [
      initialize(undefined, { expect: { emittedAtMs: { $absent: true } } }),
      { do: "await", message: { method: { $regex: "." } }, as: "first notification" },
    ],
  },
  {
    name: "wire/pipelined-requests",
    about: "Requests may be sent without waiting; each is answered, and the order of the answers is free.",
    transports: STDIO_AND_WS,
    freeOrder: [Array.from({ length: 40 }, (_, index) => `response pipelined ${index}`)],
    steps: [
      initialize(),
      ...Array.from({ length: 40 }, (_, index) => send("thread/loaded/list", {}, `pipelined ${index}`)),
      ...Array.from({ length: 40 }, (_, index) => reply(`pipelined ${index}`, LOADED)),
    ],
  },
  {
    name: "wire/long-and-strange-text",
    about: "A long message and text outside ASCII arrive whole.",
    transports: STDIO_AND_WS,
    steps: [
      initialize(),
      call("thread/loaded/list", { padding: "x".repeat(300_000) }, { as: "long", expect: LOADED }),
      call(
        "model/list",
        { cursor: "Zürich 東京 \u{1F9F5}\u2028" },
        {
          as: "strange",
          expect: { error: { code: -32600, message: "invalid cursor: Zürich 東京 \u{1F9F5}\u2028" } },
        },
      ),
    ],
  },
  {
    name: "wire/line-endings",
    about: "On stdio a line may end in CR LF, and blank lines mean nothing.",
    transports: STDIO,
    steps: [
      raw("\n\r\n"),
      initialize(),
      raw('{"id":20,"method":"thread/loaded/list","params":{}}\r'),
      { do: "await", message: { id: 20, ...LOADED } },
      raw('{"id":21,"method":"thread/loaded/list",\t"params" : { } }  '),
      { do: "await", message: { id: 21, ...LOADED } },
    ],
  },
  {
    name: "wire/frames",
    about:
      "On a WebSocket binary frames are ignored, a ping gets its pong, and a text frame with line breaks is one message.",
    transports: WS,
    steps: [
      initialize(),
      { do: "frame", kind: "binary", text: '{"id":30,"method":"thread/loaded/list","params":{}}' },
      { do: "frame", kind: "ping", text: "still there" },
      raw(`{"id":31,
"method":"thread/loaded/list",
"params":{}}
`),
      { do: "await", message: { id: 31, ...LOADED } },
      raw(
        '{"id":32,"method":"thread/loaded/list","params":{}}\n{"id":33,"method":"thread/loaded/list","params":{}}',
      ),
      stillServes("after frames"),
    ],
  },
];
