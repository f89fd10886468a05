"""Messages, images, and what is read out of answers."""

from __future__ import annotations

import base64
import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from core.answers import KINDS, parse
from core.surrogate import control
from core.surrogate.client.images import data_url
from core.surrogate.client.prompting import INSTRUCTIONS, QUESTION_ALONE, abridged, messages, question
from core.surrogate.client.replies import read_reply, split_reasoning
from core.surrogate.faults import ItemFault, SurrogateError, Trouble
from core.surrogate.job.settings import Prompting
from core.surrogate.job.source import Item
from tests.core.surrogate.conftest import pool_of


def item(prompt: str = "Which?", **more: Any) -> Item:
    return Item(0, "i", prompt, **more)


def test_every_answer_kind_has_an_instruction_whose_form_its_parser_reads() -> None:
    assert set(INSTRUCTIONS) == set(KINDS)
    for kind, answer in {"number": "7", "text": "paris", "choice": "B", "mmlu-redux": "B", "gpqa": "B"}.items():
        assert "Answer: " in INSTRUCTIONS[kind]
        assert parse(f"It is so.\nAnswer: {answer}", kind, ("x", "y")) == answer
    assert parse("Hence the answer is (B)", "mmlu-pro") == "B"
    assert parse("B", "mmbench", ("x", "y")) == "B"


def test_a_question_has_its_options_and_its_instruction() -> None:
    asked = question(item(choices=("red", "green"), kind="choice"), Prompting())
    assert asked.split("\n\n") == ["Which?", "A. red\nB. green", INSTRUCTIONS["choice"]]
    assert question(item(), Prompting()) == "Which?"
    assert question(item(kind="number"), Prompting(template=QUESTION_ALONE)) == "Which?"


def test_templates_are_filled_once_and_by_kind() -> None:
    odd = "{instruction} {0} {question} %s {{}} {choices}"
    prompting = Prompting(template="Q: {question}", templates=(("number", "{question}\n\nN: {instruction}!"),))
    assert question(item(odd), prompting) == f"Q: {odd}"
    assert question(item(odd, kind="number"), prompting) == f"{odd}\n\nN: {INSTRUCTIONS['number']}!"
    with pytest.raises(SurrogateError, match=r"no \{question\}"):
        question(item(), Prompting(template="Say something."))


def test_the_system_prompt_comes_first_and_an_empty_one_is_left_out() -> None:
    assert [m["role"] for m in messages(item(), Prompting("Be brief."))] == ["system", "user"]
    assert [m["role"] for m in messages(item(), Prompting("  "))] == ["user"]
    picture_sent = f"data:image/png;base64,{'A' * 400}"
    parts = [{"type": "image_url", "image_url": {"url": picture_sent}}, {"type": "text", "text": "Which?"}]
    (shown,) = abridged([{"role": "user", "content": parts}])
    assert shown["content"][0]["image_url"]["url"] == "data:image/png;base64,… (300 bytes)"
    assert shown["content"][1] == parts[1]
    with pytest.raises(ItemFault, match="no prompt"):
        messages(item(" "), Prompting())


def test_the_preview_is_what_is_sent() -> None:
    pool = pool_of(5)
    assert control.preview(pool, 3, Prompting()) == messages(
        Item(3, "i3", "What is item 3?", kind="number"), Prompting()
    )


def picture(form: str, size: tuple[int, int] = (37, 21), **options: Any) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(stream, form, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("form", "media", "options"),
    [
        ("PNG", "image/png", {}),
        ("JPEG", "image/jpeg", {}),
        ("JPEG", "image/jpeg", {"progressive": True, "comment": b"x" * 3000}),
        ("WEBP", "image/webp", {}),
        ("WEBP", "image/webp", {"lossless": True}),
        ("WEBP", "image/webp", {"exif": b"Exif\0\0II*\0\x08\0\0\0\0\0"}),
    ],
)
def test_images_are_sent_as_data_urls_from_files_urls_and_base64(
    form: str, media: str, options: dict[str, Any], tmp_path: Path
) -> None:
    content = picture(form, **options)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.img").write_bytes(content)
    encoded = base64.b64encode(content).decode()
    expected = f"data:{media};base64,{encoded}"
    prompting = Prompting(images=str(tmp_path))
    for image in ("sub/a.img", encoded, f"data:image/whatever;base64,{encoded}"):
        assert data_url(image, prompting) == expected
    (user,) = messages(item(images=("sub/a.img",)), prompting)
    assert user["content"] == [
        {"type": "image_url", "image_url": {"url": expected}},
        {"type": "text", "text": "Which?"},
    ]


def test_images_outside_the_folder_the_network_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(picture("PNG"))
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    (folder / "text.png").write_text("no image")
    (folder / "large.png").write_bytes(picture("PNG", (300, 20)))
    (folder / "cut.jpg").write_bytes(picture("JPEG")[:40])
    prompting = Prompting(images=str(folder), max_image_side=200)
    for image, reason in {
        "../secret.png": "leaves the folder",
        str(tmp_path / "secret.png"): "leaves the folder",
        "link.png": "leaves the folder",
        "text.png": "neither PNG nor JPEG nor WebP",
        "cut.jpg": "damaged",
        "large.png": "300 × 20 pixels",
        "none.png": "No such file",
        "a\0b": "cannot be read",
        "http://169.254.169.254/x.png": "on the network",
        "file:///etc/passwd": "on the network",
        "data:image/png;base64,@@@": "not valid base64",
        "data:image/png;base64,": "neither",
    }.items():
        with pytest.raises(ItemFault, match=reason):
            data_url(image, prompting)
    with pytest.raises(ItemFault, match="folder"):
        data_url("text.png", Prompting())
    noise = base64.b64encode(bytes(2_000_000)).decode()
    with pytest.raises(ItemFault, match="larger than the limit"):
        data_url(noise, replace(prompting, max_image_megabytes=1.0))


@pytest.mark.parametrize(
    ("text", "answer", "reasoning"),
    [
        ("Answer: 4", "Answer: 4", None),
        ("<think>two and two</think>\n\nAnswer: 4", "Answer: 4", "two and two"),
        ("two and two</think>Answer: 4", "Answer: 4", "two and two"),
        ("<think>endless", "", "endless"),
        ("<think>a</think>b<think>c</think>d", "d", "a</think>b<think>c"),
        ("<thinking>x</thinking>y", "y", "x"),
        ("1 < 2", "1 < 2", None),
    ],
)
def test_reasoning_is_kept_apart(text: str, answer: str, reasoning: str | None) -> None:
    assert split_reasoning(text) == (answer, reasoning)


def reply(**message: Any) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": "length"}
    return json.dumps({"choices": [choice], "usage": {"completion_tokens": 5}}).encode()


def test_reasoning_in_a_field_of_its_own_is_read_and_the_text_left_whole() -> None:
    for name in ("reasoning", "reasoning_content"):
        (choice,) = read_reply(reply(content="<think> is a tag", **{name: "hm"})).choices
        assert (choice.text, choice.reasoning, choice.finish) == ("<think> is a tag", "hm", "length")
    (choice,) = read_reply(reply(content=None, reasoning="hm")).choices
    assert (choice.text, choice.reasoning) == ("", "hm")
    (choice,) = read_reply(reply(content="half \ud83d pair")).choices
    assert choice.text == "half \ufffd pair"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PARTS = {
    "choices": st.lists(
        st.fixed_dictionaries(
            {
                "message": st.fixed_dictionaries({}, optional={"content": JSON, "reasoning": JSON, "refusal": JSON})
                | JSON
            },
            optional={"index": JSON, "finish_reason": JSON, "logprobs": JSON},
        )
        | JSON,
        max_size=3,
    )
    | JSON,
    "usage": st.fixed_dictionaries({}, optional={"prompt_tokens": JSON, "completion_tokens": JSON}) | JSON,
    "model": JSON,
}


@given(st.fixed_dictionaries({}, optional=PARTS) | JSON)
def test_whatever_a_server_answers_is_a_storable_reply_or_trouble(body: Any) -> None:
    try:
        found = read_reply(json.dumps(body).encode())
    except Trouble:
        return
    for choice in found.choices:
        for text in (choice.text, choice.reasoning or "", choice.finish or "", found.model):
            text.encode()
        assert choice.logprob is None or math.isfinite(choice.logprob)
    assert 0 <= found.prompt_tokens < 2**63 and 0 <= found.completion_tokens < 2**63


@pytest.mark.parametrize(
    "content",
    [
        *(
            b"",
            b"{",
            b"[]",
            b"null",
            b'"x"',
            b"{}",
            b"[" * 100_000,
            b"\xff\xfe",
            b'{"choices": null}',
            b'{"choices": []}',
        ),
        *(b'{"choices": [{}]}', b'{"choices": [{"message": "x"}]}', b'{"choices": [{"index": "a", "message": {}}]}'),
    ],
)
def test_what_is_no_chat_completion_is_tried_again(content: bytes) -> None:
    with pytest.raises(Trouble):
        read_reply(content)
