"""The public Python client of OpenWOP, unmodified, against a host that runs: usage: BASE_URL KEY."""

import sys

from openwop_client import OpenwopClient, WopError
from openwop_client.types import CancelRunRequest, CreateRunRequest, RenderPromptRequest


def main(base_url: str, key: str) -> None:
    client = OpenwopClient(base_url, key)

    capabilities = client.discovery_capabilities()
    assert capabilities.protocolVersion == "1.0", capabilities
    assert client.discovery_openapi()["openapi"].startswith("3.1")

    listed = client.prompts_list()
    assert any(item.templateId == "writer-user" for item in listed.items), listed
    template = client.prompts_get("writer-user", version="1.0.0")
    assert template is not None and template.kind == "user", template
    rendered = client.prompts_render(
        RenderPromptRequest(ref="prompt:writer-user@1.0.0", variables={"topic": "bread"})
    )
    assert rendered.hash.startswith("sha256:"), rendered

    run = client.runs_create(
        CreateRunRequest(workflowId="newsroom", inputs={"topic": "bread"}), idempotency_key="outside-check"
    )
    again = client.runs_create(
        CreateRunRequest(workflowId="newsroom", inputs={"topic": "bread"}), idempotency_key="outside-check"
    )
    assert again.runId == run.runId, (run, again)

    events = list(client.runs_events(run.runId, stream_mode="debug"))
    kinds = [event.type for event in events]
    assert kinds[0] == "run.started" and kinds[-1] == "run.completed", kinds
    assert [event.sequence for event in events] == list(range(len(events))), events
    assert "agent.promptResolved" in kinds and "prompt.composed" in kinds, kinds

    snapshot = client.runs_get(run.runId)
    assert snapshot.status == "completed", snapshot
    polled = client.runs_poll_events(run.runId)
    assert polled.isComplete and len(polled.events) == len(events), polled
    cancelled = client.runs_cancel(run.runId, CancelRunRequest(reason="it is over"))
    assert cancelled.status == "completed", cancelled

    agents = client.agents_list()
    assert agents and any(agent.agentId == "local.newsroom.writer" for agent in agents), agents

    try:
        client.runs_get("run_that_is_not_there")
    except WopError as error:
        assert error.status == 404, error
    else:
        raise AssertionError("a missing run is no error")

    print("openwop-client: fine")


if __name__ == "__main__":
    main(*sys.argv[1:3])
