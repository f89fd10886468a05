"""Text files in other encodings than UTF-8."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from core.errors import PoolError
from core.files.encoding import page_of
from core.files.open import Source
from core.readers import Shape, read, read_mapped, read_or_shape
from tests.core.wording import Saying

FIXTURES = Path(__file__).parents[1] / "readers" / "fixtures"
TABLE = "Frage;Antwort;Richtige Antwort;ok?\nWie heißt die Stadt?;Köln;Köln;ja\nUnd der Fluß?;Elbe;Rhein;nein\n"
UTF16 = ("utf-16", "utf-16-le", "utf-16-be")


@pytest.mark.parametrize("encoding", ["cp1252", *UTF16, "utf-8-sig"])
@pytest.mark.parametrize("packed", [False, True])
def test_tables_of_excel_are_read_in_every_encoding(encoding: str, packed: bool) -> None:
    content = TABLE.replace(";", "\t").encode(encoding)
    content = gzip.compress(content, mtime=0) if packed else content
    shape = read_or_shape(content, "m")
    assert isinstance(shape, Shape)
    assert shape.guess.fields == {"prompt": "Frage", "answer": "Richtige Antwort"}
    assert shape.guess.targets == {"m": {"text": "Antwort", "right": "ok?"}}
    pool = read_mapped(content, shape.guess, "m")
    assert pool.items["prompt"].tolist() == ["Wie heißt die Stadt?", "Und der Fluß?"]
    assert pool.losses("m").tolist() == [0, 1]
    assert any("code page 1252" in note for note in pool.notes) == (encoding == "cp1252")


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("cp1252", "réponse,juste\nà côté,oui\n"),
        ("cp1252", "a,b\n1,é\n"),
        ("cp1250", "nr;pytanie;odpowiedź\n1;Co to za łąka?;Łódź\n"),
        ("cp1254", "soru;doğru cevap;cevap\nBaşkent neresi?;Iğdır;Şişli\n"),
        ("cp932", "番号,質問,正解\n0,問題 0 は?,はい\n"),
        ("cp1251", "вопрос,ответ\nКакая столица Франции?,Париж\n"),
        ("cp932", "質問,回答\n日本の首都はどこですか,東京\n"),
        ("gb18030", "问题,答案\n中国的首都是哪里,北京\n"),
        ("big5", "問題,答案\n台灣的首都在哪裡,台北\n"),
        ("cp949", "질문,답변\n한국의 수도는 어디입니까,서울\n"),
        ("cp1256", "السؤال,الإجابة\nما هي عاصمة مصر؟,القاهرة\n"),
        ("cp1253", "ερώτηση,απάντηση\nΠοια είναι η πρωτεύουσα;,Αθήνα\n"),
        ("cp874", "คำถาม,คำตอบ\nเมืองหลวงของไทยคืออะไร,กรุงเทพ\n"),
    ],
)
def test_code_pages_are_told_apart_and_named(page: str, text: str) -> None:
    source = Source.of(text.encode(page))
    assert source.encoding == page and source.content(10_000).decode() == text
    assert "save it as UTF-8" in source.remark


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("cp1251", "не знаю"),
        ("cp1251", "да"),
        ("cp1251", "ДА;НЕТ"),
        ("cp1251", "Да;Нет;Не знаю."),
        ("cp1254", "doğru;yanlış"),
        ("cp1254", "hayır"),
        ("gb18030", "对;错"),
        ("gb18030", "正确;错误"),
        ("gb18030", "不清楚"),
        ("big5", "對;錯"),
        ("big5", "正確;錯誤"),
        ("cp932", "○;×"),
        ("cp949", "맞음;틀림"),
        ("cp1256", "نعم;لا"),
        ("cp1252", "no sé"),
        ("cp1252", "não;sim"),
        ("cp1252", "“ok”;wait…;–"),
        ("cp1252", "öö"),
        ("cp1252", "Zürich;où"),
    ],
)
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_list_of_verdicts_in_a_code_page_is_read_by_its_words(page: str, words: str, end: str) -> None:
    """One word among many of ASCII tells: “не знаю” was once Chinese."""
    cells = [*["right", "wrong"] * 10, *words.split(";")]
    text = "item_id,label\n" + "\n".join(f"q{number},{cell}" for number, cell in enumerate(cells)) + end
    source = Source.of(text.encode(page))
    assert source.encoding == page and source.content(10_000).decode() == text


@pytest.mark.parametrize("words", ["כן;לא", "לא"])
def test_words_that_no_latin_text_has_are_said_to_be_in_doubt(words: str) -> None:
    text = "item_id,label\n" + "\n".join(f"q{number},{cell}" for number, cell in enumerate(words.split(";"))) + "\n"
    source = Source.of(text.encode("cp1255"))
    assert source.encoding == "cp1255" or "It may also be" in source.remark


def test_a_native_pool_and_lines_of_json_are_read_in_utf_16() -> None:
    for encoding in UTF16:
        assert read("id,prompt\na,Größe?\n".encode(encoding)).items["prompt"].tolist() == ["Größe?"]
        lines = json.dumps({"id": "a", "prompt": "Größe?\u2028x"}, ensure_ascii=False)
        assert read(f"{lines}\n".encode(encoding)).items["prompt"].tolist() == ["Größe?\u2028x"]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("page", "text"), [("cp1252", "Wie heißt die Stadt Köln?"), ("cp932", "日本の首都はどこですか")]
)
def test_json_is_read_in_a_code_page(page: str, text: str, indent: int | None) -> None:
    asked = "質問" if page == "cp932" else "question"
    rows = [{asked: text, "output": output, "expected": "y"} for output in "xy"]
    content = json.dumps(rows, ensure_ascii=False, indent=indent).encode(page)
    shape = read_or_shape(content, "m")
    assert isinstance(shape, Shape)
    pool = read_mapped(content, shape.guess, "m")
    assert pool.items["prompt"].tolist() == [text] * 2
    assert any(f"code page {page.removeprefix('cp')}" in note for note in pool.notes)


def test_a_tool_s_log_in_a_code_page_says_so() -> None:
    row = {"task_id": "a/0", "completion": "Köln am Fluß", "result": "passed", "passed": True}
    content = json.dumps(row, ensure_ascii=False).encode("cp1252")
    assert any("code page 1252" in note for note in read(content, "m").notes)


LOGS = [path for path in sorted(FIXTURES.rglob("*")) if path.suffix in (".json", ".jsonl", ".gz", ".csv")]


@pytest.mark.parametrize("path", [one for one in LOGS if "_score.json" not in one.name], ids=lambda path: path.name)
def test_a_mark_other_ends_of_lines_and_blanks_change_no_log(path: Path) -> None:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    known = read(text.encode(), "m")
    others = [text.encode("utf-8-sig"), text.encode("utf-16"), f"{text}\n \n".encode()]
    others += [] if ".csv" in path.name else [text.replace("\n", "\r\n").encode()]
    for other in others:
        pool = read(other, "m")
        assert (pool.digest, pool.account, pool.notes) == (known.digest, known.account, known.notes)


def test_damaged_text_is_no_other_encoding() -> None:
    for content in ('{"id": "ö"}\n'.encode() + b'{"id": "\xe9"}\n', "id,x\na,größer\n".encode() + b"b,\xe9\n"):
        assert Source.of(content).encoding == "utf-8"
        with pytest.raises(PoolError, match="not UTF-8"):
            read(content)
    # A code page holds to the end of the file, or is none.
    late = "id,x\na,größer\n".encode("cp1252") + b"b,c\n" * 300_000 + b"d,\x81\n"
    with pytest.raises(PoolError, match="row 2: byte 10 "):
        read(late)
    with pytest.raises(PoolError, match="begins as UTF-16-LE"):
        read("id,x\na,b\n".encode("utf-16-le") * 3_000 + b"\x00\xd8\x00")


def test_pages_of_latin_letters_that_nothing_tells_apart_are_named() -> None:
    remark = Source.of("id,x\na,Şişli Iğdır\n".encode("cp1254")).remark
    assert remark == Saying("may also be", "Central European (code page 1250)", "Turkish (code page 1254)")
    assert "may also be" not in Source.of("id,x\na,größer\n".encode("cp1252")).remark


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-32-be"])
def test_utf_32_is_read_by_its_mark(encoding: str) -> None:
    mark = "" if encoding == "utf-32" else "\ufeff"
    assert read(f"{mark}id,prompt\na,Größe?\n".encode(encoding)).items["prompt"].tolist() == ["Größe?"]


SIGNS = {
    "one dash": "What is it – really?",
    "two dashes together": "What is it –– really?",
    "many dashes": "What — is it —— really? – plain —– yes",
    "an ellipsis before a quote": "He said “wait…” to me",
    "a dash behind a quote": "“Yes”—he said",
    "quotes of two kinds": "“Yes” and ‘‘no’’, it’s “it’s” …”",
    "prices": "5 €–€ 6, 20–30 °C, ½–¾ cup",
    "bullets": "• one •• two",
    "French": "«Où êtes-vous ?»—dit-il… «À l’école.»",
    "German": "„Öl“—größer als „Äpfel“…",
    "Spanish": "¿¡Qué!? —dijo él… «Sí»",
    "ellipses": "Well…… “maybe” –– no……",
    "Portuguese": "“Não!”—“É…”—“À…” três",
}
SCRIPTS = {
    "cp1251": "Что это —— правда? «Да»…",
    "cp932": "AIモデルはGPT4です。「はい」と言った……",
    "big5": "什麼——東西是這個問題",
    "cp949": "이것은 GPT 모델입니까… 아니요",
    "cp1253": "Τι είναι —— αυτό; «Ναι»…",
    "cp874": "นี่คืออะไร –– จริง",
}


@pytest.mark.parametrize("form", ["id,question\n1,{}\n2,plain\n", '{{"id": 1, "question": "{}"}}\n'])
@pytest.mark.parametrize("kind", SIGNS)
def test_dashes_and_quotes_of_a_latin_text_are_no_letters_of_another_script(kind: str, form: str) -> None:
    content = form.format(SIGNS[kind]).encode("cp1252")
    page = page_of(io.BytesIO(content), 10**6)
    assert content.decode(page) == form.format(SIGNS[kind])


@pytest.mark.parametrize("page", SCRIPTS)
def test_other_scripts_with_dashes_and_plain_words_keep_their_page(page: str) -> None:
    content = f"id,question\n1,{SCRIPTS[page]}\n2,plain\n".encode(page)
    assert page_of(io.BytesIO(content), 10**6) == page
