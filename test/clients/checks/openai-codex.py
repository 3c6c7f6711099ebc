"""Checks of the Python SDK of Codex. One is named on the command line; it prints nothing and ends with 0 where it holds."""

import json
import os
import sys
import threading

from openai_codex import ApprovalMode, AsyncCodex, Codex, CodexConfig, Sandbox
from openai_codex.client import CodexClient
from openai_codex.generated.v2_all import ThreadGoalStatus


def config():
    return CodexConfig(codex_bin=os.environ["CODEX_BIN"], cwd=os.getcwd())


def same(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def threads():
    with Codex(config()) as codex:
        thread = codex.thread_start(approval_mode=ApprovalMode.deny_all)
        thread.run("Hello")
        thread.set_name("A name")
        same([each.id for each in codex.thread_list().data], [thread.id])
        same(thread.read(include_turns=True).thread.name, "A name")
        same(len(thread.read(include_turns=True).thread.turns), 1)
        fork = codex.thread_fork(thread.id)
        assert fork.id != thread.id
        codex.thread_archive(thread.id)
        same(codex.thread_list(archived=True).data[0].id, thread.id)
        codex.thread_unarchive(thread.id)
        same(codex.thread_resume(thread.id).run("Again").final_response, "Hello from the model")


def run():
    with Codex(config()) as codex:
        assert codex.metadata.userAgent, "the server has no name"
        assert codex.models().data, "there are no models"
        result = codex.thread_start(sandbox=Sandbox.read_only).run("Hello")
        same(result.final_response, "Hello from the model")
        same(result.status.value, "completed")
        same(result.usage.last.input_tokens, 10)


def stream():
    with Codex(config()) as codex:
        events = list(codex.thread_start().turn("Count").stream())
        deltas = [each.payload.delta for each in events if each.method == "item/agentMessage/delta"]
        same(deltas, ["One ", "two ", "three"])
        same(events[-1].method, "turn/completed")
        unknown = {each.method for each in events if type(each.payload).__name__ == "UnknownNotification"}
        same(unknown, set())


def asynchronous():
    import asyncio

    async def main():
        async with AsyncCodex(config()) as codex:
            threads = [await codex.thread_start() for _ in range(3)]
            results = await asyncio.gather(*(thread.run("Hello") for thread in threads))
            same([each.final_response for each in results], ["Hello from the model"] * 3)

    asyncio.run(main())


def approval():
    asked = []

    def decide(method, params):
        asked.append((method, params["command"]))
        return {"decision": "accept"}

    client = CodexClient(config(), approval_handler=decide)
    client.start()
    try:
        client.initialize()
        thread = client.thread_start({"approvalPolicy": "on-request", "sandbox": "read-only"}).thread
        turn = client.turn_start(thread.id, "Go").turn
        client.register_turn_notifications(turn.id)
        same(client.wait_for_turn_completed(turn.id).turn.status.value, "completed")
    finally:
        client.close()
    same([method for method, _ in asked], ["item/commandExecution/requestApproval"])
    assert "from-outside" in asked[0][1], asked


def begun(turn):
    """The events of a turn, once its first words are there."""
    events = turn.stream()
    for event in events:
        if event.method == "item/agentMessage/delta":
            return events
    raise AssertionError("the turn has ended without a word")


def steer():
    with Codex(config()) as codex:
        turn = codex.thread_start().turn("Begin")
        events = begun(turn)
        turn.steer("And heed this")
        texts = [each.payload.item.root.text for each in events if each.method == "item/completed"
                 and each.payload.item.root.type == "agentMessage"]
        assert "I have heard of it" in texts, texts


def interrupt():
    with Codex(config()) as codex:
        turn = codex.thread_start().turn("Begin")
        events = begun(turn)
        turn.interrupt()
        same(list(events)[-1].payload.turn.status.value, "interrupted")


def failure():
    with Codex(config()) as codex:
        try:
            codex.thread_start().run("Hello")
        except Exception as error:
            assert "no such model" in str(error), error
        else:
            raise AssertionError("a failed turn is no error")


def goal():
    client = CodexClient(config())
    client.start()
    try:
        client.initialize()
        thread = client.thread_start({}).thread
        answer = client.thread_goal_set(thread.id, objective="Finish it", status=ThreadGoalStatus.paused)
        same(answer.goal.objective, "Finish it")
        client.thread_goal_clear(thread.id)
    finally:
        client.close()


# Nothing may wait for ever: a check that hangs says where.
threading.Timer(40, lambda: os._exit(3)).start()
try:
    globals()[sys.argv[1]]()
except BaseException as error:
    print(json.dumps(f"{type(error).__name__}: {error}"), file=sys.stderr)
    os._exit(1)
os._exit(0)
