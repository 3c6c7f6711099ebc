/** Telemetry to a collector: spans with correct parents, metrics, and never any content of conversations. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLogger } from "../../src/base/logger.ts";
import { AUTHORITY, CERTIFICATE, KEY } from "../../src/base/network/fixtures/certificates.ts";
import { propertyRuns } from "../../src/base/property-runs.fixture.ts";
import { createHeddle } from "../../src/index.ts";
import { METRICS } from "../../src/server/metrics/metric-table.ts";
import { openCollector, type ReceivedSpan, toObject } from "../support/collector.ts";
import { parseJson } from "../support/json.ts";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import { type ModelReply, openScriptedModel } from "../support/scripted-model.ts";
import { startServer } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

const CLIENT = {
  clientInfo: { name: "traced", title: null, version: "1" },
  capabilities: { experimentalApi: true },
};
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID = "b7ad6b7169203331";
const TRACE = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`, tracestate: "vendor=value" };
const prompt = (text: string) => [{ type: "text" as const, text }];
const touching = (text: string) =>
  reply("1", functionCallDone("call_1", "exec_command", { cmd: `touch ${text}`, login: false }));
const UNTRUSTED = { approvalPolicy: "untrusted", sandbox: "danger-full-access" } as const;

const jsonTo = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
});

interface Embedding {
  readonly env?: Readonly<Record<string, string>>;
  readonly replies?: readonly ModelReply[];
  readonly tables?: string;
  readonly hooks?: object;
  /** The API key of the provider. */
  readonly key?: string;
}

/** A server in this process with telemetry from its environment or configuration. */
async function embed({
  env = {},
  replies = [messageReply("Done")],
  tables = "",
  hooks,
  key = "k",
}: Embedding) {
  const model = await openScriptedModel(replies);
  const login = `experimental_bearer_token = "${key}"`;
  const config = modelConfig(model.url, { tables }).replace("wire_api", `${login}\nwire_api`);
  const folders = await createTempHome({ config });
  if (hooks !== undefined) await folders.write("home/hooks.json", JSON.stringify({ hooks }));
  const lines: string[] = [];
  const log = createLogger({
    level: "warn",
    format: "json",
    now: () => 0,
    write: (line) => lines.push(line),
  });
  const { home, workspace: cwd, user: HOME } = folders;
  const heddle = await createHeddle({ home, cwd, log, env: { HOME, PATH: process.env["PATH"], ...env } });
  onTestFinished(async () => {
    await heddle.close();
    await model.close();
    await folders.remove();
  });
  const logged = () => lines.map((line) => (JSON.parse(line) as { fields: { message: string } }).fields);
  return { heddle, folders, logged };
}

const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter((span) => span.name === name);

describe("spans", () => {
  test("of a turn belong to the trace of the request that started it, and those of its work to the turn", async () => {
    const collector = await openCollector();
    const model = await openScriptedModel([touching("made"), messageReply("Done", { id: "2" })]);
    onTestFinished(() => model.close());
    const server = await startServer({ config: modelConfig(model.url), env: jsonTo(collector.url) });
    onTestFinished(() => server.stop().then(() => {}));
    const client = await server.connect();
    await client.result("initialize", CLIENT);
    const { thread } = (await client.result("thread/start", UNTRUSTED)) as { thread: { id: string } };
    const params = { threadId: thread.id, input: prompt("Hello") };
    client.wire.send(JSON.stringify({ id: 900, method: "turn/start", params, trace: TRACE }));
    const asked = await client.next({ method: "item/commandExecution/requestApproval" });
    client.answer(asked["id"] as number, { decision: "accept" });
    await client.next({ method: "turn/completed" });
    server.child.signal("SIGTERM");
    await server.child.exit;

    const spans = collector.spans();
    const [turn] = named(spans, "turn");
    const [call] = named(spans, "tool call");
    expect(turn).toMatchObject({
      traceId: TRACE_ID,
      parentSpanId: PARENT_ID,
      traceState: "vendor=value",
      kind: 2,
    });
    expect(turn?.attributes).toMatchObject({
      "thread.id": thread.id,
      "turn.kind": "user",
      "turn.status": "completed",
    });
    expect(named(spans, "model request").map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual(
      [
        [TRACE_ID, turn?.spanId],
        [TRACE_ID, turn?.spanId],
      ],
    );
    expect(named(spans, "model request")[0]?.attributes).toMatchObject({
      "gen_ai.provider.name": "mock",
      "gen_ai.request.model": "mock-model",
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "model.status": "completed",
    });
    expect(call).toMatchObject({ parentSpanId: turn?.spanId });
    expect(call?.attributes).toMatchObject({ "tool.name": "exec_command", "tool.call_id": "call_1" });
    const [permission] = named(spans, "permission");
    expect(permission).toMatchObject({ parentSpanId: call?.spanId });
    expect(permission?.attributes).toMatchObject({
      "permission.kind": "command",
      "permission.decision": "approved",
      "permission.by": "client",
    });
    expect(spans).toHaveLength(5);
    for (const span of spans)
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    expect(collector.resource()).toMatchObject({ "service.name": "heddle" });
    expect(collector.metrics().map(({ name }) => name)).toContain("heddle_turns_total");
  });

  test("of hooks of a call are below the call, and of others below the turn; a failure has its kind", async () => {
    const collector = await openCollector();
    const hook = [{ hooks: [{ type: "command", command: "cat >/dev/null" }] }];
    const { heddle, folders } = await embed({
      env: jsonTo(collector.url),
      replies: [touching("made"), { status: 400, body: "bad" }],
      hooks: { UserPromptSubmit: hook, PreToolUse: hook },
    });
    const client = await heddle.connect({ capabilities: { experimentalApi: true } });
    const { data } = await client.hooks.list({ cwds: [folders.workspace] });
    const state = Object.fromEntries(
      data.flatMap(({ hooks }) => hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }])),
    );
    const edits = [{ keyPath: "hooks.state", mergeStrategy: "upsert" as const, value: state }];
    await client.config.batchWrite({ edits, reloadUserConfig: true });
    const { thread } = await client.thread.start({ sandbox: "danger-full-access", approvalPolicy: "never" });
    await client.runTurn({ threadId: thread.id, input: prompt("Hello") });
    await heddle.close();
    const spans = collector.spans();
    const [turn] = named(spans, "turn");
    const [call] = named(spans, "tool call");
    const hooked = named(spans, "hook").map(({ parentSpanId, attributes }) => [
      attributes["hook.event"],
      parentSpanId,
    ]);
    expect(hooked).toEqual([
      ["userPromptSubmit", turn?.spanId],
      ["preToolUse", call?.spanId],
    ]);
    expect(turn?.parentSpanId ?? "").toBe("");
    expect(turn).toMatchObject({ status: { code: 2 } });
    expect(turn?.attributes).toMatchObject({ "turn.status": "failed", "error.type": "other" });
  });

  test("a trace that is none, and one that nobody samples", async () => {
    const collector = await openCollector();
    const server = await startServer({ env: jsonTo(collector.url) });
    onTestFinished(() => server.stop().then(() => {}));
    const client = await server.connect();
    await client.result("initialize", CLIENT);
    const { thread } = (await client.result("thread/start", {})) as { thread: { id: string } };
    const params = { threadId: thread.id, input: prompt("Hello") };
    const wrong = [
      5,
      [],
      { traceparent: 7 },
      { traceparent: "00-0-0-01" },
      { traceparent: `00-${"0".repeat(32)}-${PARENT_ID}-01` },
    ];
    for (const [at, trace] of [...wrong, { traceparent: `00-${TRACE_ID}-${PARENT_ID}-00` }].entries()) {
      client.wire.send(JSON.stringify({ id: 900 + at, method: "turn/start", params, trace }));
      await client.next({ method: "turn/completed" });
    }
    server.child.signal("SIGTERM");
    await server.child.exit;
    const turns = named(collector.spans(), "turn");
    expect(turns.map(({ parentSpanId }) => parentSpanId ?? "")).toEqual(wrong.map(() => ""));
  });
});

test("metrics are sent under the names and with the values of /metrics", async () => {
  const collector = await openCollector();
  const { heddle } = await embed({ env: { ...jsonTo(collector.url), OTEL_TRACES_EXPORTER: "none" } });
  const client = await heddle.connect();
  const { thread } = await client.thread.start({});
  await client.runTurn({ threadId: thread.id, input: prompt("Hello") });
  await heddle.close();
  const metrics = collector.metrics();
  const unknown = metrics.filter(({ name }) => !Object.hasOwn(METRICS, name));
  expect([unknown, collector.spans()]).toEqual([[], []]);
  const find = (name: string) => metrics.find((each) => each.name === name);
  const tokens = find("heddle_tokens_total")?.sum?.dataPoints.map((point) => [
    toObject(point.attributes)["kind"],
    point.asDouble,
  ]);
  expect(tokens).toContainEqual(["input", 10]);
  expect(find("heddle_turn_seconds")).toMatchObject({ unit: "s", histogram: { dataPoints: [{ count: 1 }] } });
});

describe("[otel] of the configuration", () => {
  const exporter = (url: string, more = "") =>
    `{ otlp-http = { endpoint = "${url}", protocol = "json", headers = { "x-key" = "configured" }${more} } }`;

  test("says where, with which headers, and what is said of the server", async () => {
    const collector = await openCollector();
    const elsewhere = await openCollector();
    const { heddle } = await embed({
      env: { ...jsonTo(elsewhere.url), OTEL_EXPORTER_OTLP_HEADERS: "x-secret=of%20another" },
      tables: `[otel]\nenvironment = "staging"\ntrace_exporter = ${exporter(`${collector.url}/v1/traces`)}\nmetrics_exporter = "none"\nspan_attributes = { "team" = "blue" }`,
    });
    const client = await heddle.connect();
    const { thread } = await client.thread.start({});
    await client.runTurn({ threadId: thread.id, input: prompt("Hello") });
    await heddle.close();
    expect(elsewhere.exports).toEqual([]);
    expect(collector.exports.map(({ path }) => path)).toEqual(["/v1/traces"]);
    expect(collector.exports[0]?.headers).toMatchObject({
      "x-key": "configured",
      "content-type": "application/json",
    });
    expect(collector.exports[0]?.headers["x-secret"]).toBeUndefined();
    expect(collector.resource()).toMatchObject({ env: "staging" });
    expect(named(collector.spans(), "turn")[0]?.attributes).toMatchObject({ team: "blue" });
  });

  test.each([
    [
      "a protocol that is not spoken",
      `{ otlp-grpc = { endpoint = "http://127.0.0.1:1" } }`,
      "use `otlp-http`",
    ],
    ["an address that is none", exporter("127.0.0.1"), "http:// or https://"],
    ["a service of the peer's makers", `"statsig"`, "statsig"],
  ])("%s: the log says so, once, and turns go on", async (_, wanted, reason) => {
    const { heddle, logged } = await embed({ tables: `[otel]\ntrace_exporter = ${wanted}` });
    for (const _client of [1, 2]) {
      const client = await heddle.connect();
      const { thread } = await client.thread.start({});
      expect((await client.runTurn({ threadId: thread.id, input: prompt("Hello") })).status).toBe(
        "completed",
      );
    }
    expect(logged().map(({ message }) => message)).toEqual([expect.stringContaining(reason)]);
  });
});

describe("a collector with TLS", () => {
  async function sendTo(tls: string) {
    const collector = await openCollector(undefined, { cert: CERTIFICATE, key: KEY });
    const folders = await createTempHome();
    onTestFinished(() => folders.remove());
    await folders.write("ca.pem", AUTHORITY);
    const files = tls.replace("ROOT", folders.root);
    const exporter = `{ otlp-http = { endpoint = "${collector.url}/v1/traces", protocol = "json", tls = { ${files} } } }`;
    const { heddle, logged } = await embed({ tables: `[otel]\ntrace_exporter = ${exporter}` });
    const client = await heddle.connect();
    const { thread } = await client.thread.start({});
    await client.runTurn({ threadId: thread.id, input: prompt("Hello") });
    await heddle.close();
    return { spans: named(collector.spans(), "turn").length, logged: logged().map(({ message }) => message) };
  }

  test("is believed by its authority, and not without", async () => {
    expect(await sendTo('ca-certificate = "ROOT/ca.pem"')).toEqual({ spans: 1, logged: [] });
    expect(await sendTo("")).toEqual({ spans: 0, logged: ["telemetry cannot be sent"] });
  });

  test("gets nothing where the authority cannot be read", async () => {
    const { spans, logged } = await sendTo('ca-certificate = "ROOT/none.pem"');
    expect([spans, logged]).toEqual([
      0,
      [expect.stringMatching(/^traces are not sent: cannot read .*none\.pem: No such file/u)],
    ]);
  });
});

describe("a collector", () => {
  test("that is not there costs one line, and no secret of its address is in it", async () => {
    const { heddle, logged } = await embed({
      env: {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://user:hidden@127.0.0.1:1/v1/traces?key=hidden",
        OTEL_BSP_SCHEDULE_DELAY: "1",
        OTEL_EXPORTER_OTLP_TIMEOUT: "200",
      },
    });
    const client = await heddle.connect();
    const { thread } = await client.thread.start({});
    for (const text of ["1", "2", "3"]) {
      expect((await client.runTurn({ threadId: thread.id, input: prompt(text) })).status).toBe("completed");
    }
    await heddle.close();
    expect(logged()).toEqual([
      {
        message: "telemetry cannot be sent",
        signal: "traces",
        collector: "127.0.0.1:1",
        reason: "ECONNREFUSED",
      },
    ]);
  });

  test.each<[string, Parameters<typeof openCollector>[0]]>([
    ["never answers", () => {}],
    [
      "answers without end",
      (_request, response) => {
        response.writeHead(200);
        const more = (): boolean =>
          response.destroyed || (response.write("x".repeat(65_536)) && setImmediate(more).hasRef());
        response.on("drain", more);
        more();
      },
    ],
  ])("that %s delays neither turns nor the end", async (_, answer) => {
    const collector = await openCollector(answer);
    const { heddle } = await embed({ env: { ...jsonTo(collector.url), OTEL_BSP_SCHEDULE_DELAY: "1" } });
    const client = await heddle.connect();
    const { thread } = await client.thread.start({});
    expect((await client.runTurn({ threadId: thread.id, input: prompt("Hello") })).status).toBe("completed");
    await collector.whenReached;
    const startedAt = performance.now();
    await heddle.close();
    expect(performance.now() - startedAt).toBeLessThan(4000);
    expect(process.memoryUsage().arrayBuffers).toBeLessThan(256 * 1024 * 1024);
  });
});

test("nothing is sent that nobody has asked for", async () => {
  const collector = await openCollector();
  const { heddle } = await embed({
    env: { OTEL_EXPORTER_OTLP_HEADERS: "a=b", ...jsonTo(collector.url), OTEL_SDK_DISABLED: "true" },
  });
  const client = await heddle.connect();
  const { thread } = await client.thread.start({});
  await client.runTurn({ threadId: thread.id, input: prompt("Hello") });
  await heddle.close();
  expect(collector.exports).toEqual([]);
});

test("what everybody loads and installs has nothing of the SDK", () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as Record<
    string,
    object
  >;
  const installed = Object.keys({ ...dependencies, ...optionalDependencies });
  expect(installed.filter((name) => name.includes("opentelemetry"))).toEqual([]);
  const loaded = [
    ...readdirSync("dist")
      .filter((file) => /^heddle.*\.cjs$/u.test(file))
      .map((file) => join("dist", file)),
    ...readdirSync("dist/esm")
      .filter((file) => file.endsWith(".js"))
      .map((file) => join("dist/esm", file)),
  ];
  expect(loaded.filter((file) => readFileSync(file, "utf8").includes("@opentelemetry/"))).toEqual([]);
  expect(readFileSync("dist/telemetry.cjs", "utf8")).toContain("resourceSpans");
});

/** Texts that cannot occur by chance. */
const secret = fc.stringMatching(/^[a-z0-9]{16,40}$/u);

test("no prompt, answer, command, word of a provider or key is ever in a span or a metric", async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(secret, secret, secret, secret, secret), async (secrets) => {
      const [said, logged, run, quoted, key] = secrets;
      const collector = await openCollector();
      const { heddle } = await embed({
        env: jsonTo(collector.url),
        key,
        replies: [
          touching(run),
          messageReply(logged, { id: "2" }),
          { status: 400, body: { error: { message: `you said ${quoted}` } } },
        ],
        tables: `[otel]\nlog_user_prompt = true`,
      });
      const client = await heddle.connect({ approve: () => "decline" });
      const { thread } = await client.thread.start(UNTRUSTED);
      await client.runTurn({ threadId: thread.id, input: prompt(said) });
      await client.runTurn({ threadId: thread.id, input: prompt(quoted) });
      await heddle.close();
      expect(named(collector.spans(), "turn")).toHaveLength(2);
      const sent = collector.exports.map(({ body }) => body).join("\n");
      expect(parseJson(collector.exports[0]?.body ?? "")).toBeDefined();
      for (const each of secrets) expect(sent).not.toContain(each);
    }),
    propertyRuns(3),
  );
});
