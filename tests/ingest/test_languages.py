"""Books in other languages than English, searched with words in another form than the book's."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from glossator.answer.route.typos import is_other_language
from glossator.errors import SettingsError
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import site_of
from glossator.model import IndexQuery
from glossator.settings import load_settings
from glossator.testing import MemoryCache, SilentProgress, WordEmbedder
from glossator.text.languages import detect_language, language_named
from glossator.text.sentences import sentences
from glossator.text.words import content_stems, words

GERMAN = {
    "leuchtturm.md": """# Der Leuchtturm

Der Leuchtturm steht seit dem 3. Oktober 1887 auf der Klippe und ist mit seinem Licht weit zu sehen. Der Wärter
putzt die Linse an jedem Abend, bevor die Schiffe kommen. Bei Nebel läutet er die Glocke.

## Die Lampe

Die Lampe brennt mit Öl. Wer sie füllt, der soll vorher z. B. einen Eimer Sand holen und dann das Fenster öffnen.
""",
    "hafen.md": """# Der Hafen

Im Hafen liegen die Boote der Fischer. Das Netz wird nach dem Fang auf der Mauer getrocknet und am nächsten Tag
wieder an Bord gebracht. Ein Lotse führt die großen Schiffe durch die Einfahrt.
""",
}
SPANISH = {
    "faro.md": """# El faro

El faro está sobre el acantilado desde hace más de cien años y su luz se ve desde muy lejos. El guardián limpia la
lente todas las tardes, antes de que lleguen los barcos. Con la niebla toca la campana.
""",
    "puerto.md": """# El puerto

En el puerto están las barcas de los pescadores. La red se seca sobre el muro después de la pesca y al día siguiente
se lleva otra vez a bordo. Un práctico guía a los barcos grandes por la entrada, p. ej. El Audaz.
""",
}


class Reader:
    """Somebody who searches a book with words alone."""

    def __init__(self, folder: Path, pages: dict[str, str], language: str | None = None) -> None:
        book, home = folder / "book", folder / "home"
        book.mkdir()
        for name, text in pages.items():
            (book / name).write_text(text, encoding="utf-8")
        self._embedder = WordEmbedder()
        tools = IngestTools(
            self._embedder, EmbeddedIndexStore(home), MemoryCache(), SilentProgress(), language
        )
        ingest(book, site_of(book), tools)
        self.index = EmbeddedIndex(home)
        self.lexicon = self.index.manifest().lexicon

    def by_words(self, text: str) -> set[str]:
        """The pages that share a word with the text."""
        query = IndexQuery(text, self._embedder.embed_query(text).vector)
        found = self.index.search(query)
        return {passage.passage.chunk.page for passage in found if passage.scores.sparse}


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader(tmp_path_factory.mktemp("german"), GERMAN)


@pytest.fixture(scope="module")
def spanish(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader(tmp_path_factory.mktemp("spanish"), SPANISH)


def test_the_language_of_a_book_is_found_out(german: Reader, spanish: Reader):
    assert (german.lexicon.language, spanish.lexicon.language) == ("german", "spanish")


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("Wer putzte die Linsen?", "leuchtturm.md"),
        ("Welche Glocken läuten?", "leuchtturm.md"),
        ("Wo trocknen die Netze?", "hafen.md"),
        ("Was macht ein Fischern?", "hafen.md"),
    ],
)
def test_a_german_book_is_found_by_inflected_words(german: Reader, question: str, page: str):
    assert german.by_words(question) == {page}


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("¿Quién limpiaba las lentes?", "faro.md"),
        ("¿Cuándo tocan las campanas?", "faro.md"),
        ("¿Dónde se secan las redes?", "puerto.md"),
        ("¿Dónde está el pescador?", "puerto.md"),
    ],
)
def test_a_spanish_book_is_found_by_inflected_words(spanish: Reader, question: str, page: str):
    assert spanish.by_words(question) == {page}


def test_read_as_english_the_same_words_find_nothing(tmp_path: Path):
    reader = Reader(tmp_path, GERMAN, "english")

    assert reader.by_words("Linsen Glocken") == set()


def test_stop_words_carry_no_subject(german: Reader):
    assert content_stems("Was ist mit der Lampe?", "german") == ("lamp",)
    assert german.by_words("Was ist mit der?") == set()


def test_a_question_in_the_language_of_the_book_is_known_as_one(german: Reader):
    assert not is_other_language("Was soll man mit dem Boot nach dem Fang?", german.lexicon)
    assert is_other_language("What should one do about the weather tomorrow?", german.lexicon)


def test_sentences_end_as_their_language_has_it():
    def ends(text: str, language: str) -> list[str]:
        return [text[span.start : span.end] for span in sentences(text, language)]

    dated = "Er kam am 3. Oktober z. B. Abends an. Dann ging er."
    assert ends(dated, "german") == ["Er kam am 3. Oktober z. B. Abends an.", "Dann ging er."]
    assert len(ends(dated, "english")) > 2
    assert ends("Véase la pág. Siguiente. Después, nada.", "spanish") == [
        "Véase la pág. Siguiente.",
        "Después, nada.",
    ]
    assert ends("यह पहला वाक्य है। यह दूसरा है।", "hindi") == ["यह पहला वाक्य है।", "यह दूसरा है।"]


def test_a_word_with_vowel_signs_is_one_word():
    assert words("किताबें पढ़ो") == ["किताबें", "पढ़ो"]


@pytest.mark.parametrize(
    ("language", "one", "other"), [("polish", "książkami", "książkach"), ("hindi", "किताबें", "किताबों")]
)
def test_languages_that_the_engine_cannot_stem_are_stemmed_too(language: str, one: str, other: str):
    weights = WordWeights(language)

    assert weights.of_question(one).indices == weights.of_question(other).indices
    assert list(weights.of_question(one).indices)


def test_a_text_that_tells_too_little_is_in_no_language():
    assert detect_language(["und", "der"]) is None
    assert detect_language(words("qubit entangler " * 50)) is None


def test_where_the_text_does_not_tell_the_site_does(tmp_path: Path):
    folder = tmp_path / "site"
    (folder / "src").mkdir(parents=True)
    (folder / "book.toml").write_text('[book]\nlanguage = "de-AT"\n')
    (folder / "src" / "SUMMARY.md").write_text("# Summary\n\n- [Boote](boote.md)\n")
    (folder / "src" / "boote.md").write_text("# Boote\n\nRuderboot, Segelboot.\n")
    store = EmbeddedIndexStore(tmp_path / "home")
    ingest(folder, site_of(folder), IngestTools(WordEmbedder(), store, MemoryCache(), SilentProgress()))

    manifest = store.current()
    assert manifest
    assert manifest.lexicon.language == "german"


def test_a_page_that_is_read_again_alone_keeps_the_language_of_its_book(tmp_path: Path):
    book, store, cache = tmp_path / "book", EmbeddedIndexStore(tmp_path / "home"), MemoryCache()
    book.mkdir()
    for name, text in GERMAN.items():
        (book / name).write_text(text, encoding="utf-8")
    tools = IngestTools(WordEmbedder(), store, cache, SilentProgress())
    ingest(book, site_of(book), tools)
    (book / "hafen.md").write_text("# Der Hafen\n\nBoats.\n", encoding="utf-8")
    report = ingest(book, site_of(book), tools, ["hafen.md"])

    manifest = store.current()
    assert manifest
    assert (manifest.lexicon.language, report.pages) == ("german", 2)


def test_a_language_is_set_by_its_name_or_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert load_settings(language="pt-BR").language == "portuguese"
    assert load_settings(language="German").language == "german"
    assert load_settings(language="none").language == "none"
    assert load_settings().language is None
    assert language_named("ur") is None
    with pytest.raises(
        SettingsError, match=r"no stemmer for 'klingon'; there is one for arabic,.* or write none"
    ):
        load_settings(language="klingon")
