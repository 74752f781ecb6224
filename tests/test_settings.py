"""Settings come from the environment and `glossator.toml`; a name that is none of them is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.errors import SettingsError
from glossator.settings import Settings, load_settings


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _refusal(**overrides: object) -> str:
    with pytest.raises(SettingsError) as refused:
        load_settings(**overrides)
    return str(refused.value)


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        (
            "GLOSSATOR_HOEM",
            "GLOSSATOR_HOEM is not a setting; the nearest is GLOSSATOR_HOME. Correct it or unset it.",
        ),
        ("GLOSSATOR_DATABASE", "the nearest is GLOSSATOR_DATABASE_URL"),
        ("GLOSSATOR_SECRET_FIL", "the nearest is GLOSSATOR_SECRET_FILE"),
        ("glossator_wrokers", "the nearest is GLOSSATOR_WORKERS"),
        ("GLOSSATOR_HOME_FILE", "GLOSSATOR_HOME_FILE is not a setting"),
        ("GLOSSATOR_ZZZZZZZZZZZZ", "docs/settings.md lists them"),
        ("GLOSSATOR_SERVICE_HOST", "set enableServiceLinks: false"),
        ("GLOSSATOR_PORT_8000_TCP_ADDR", "set enableServiceLinks: false"),
    ],
)
def test_an_unknown_variable_is_refused_with_the_nearest_name(
    monkeypatch: pytest.MonkeyPatch, variable: str, said: str
):
    monkeypatch.setenv(variable, "x")
    assert said in _refusal()


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (
            'hoem = "x"',
            "glossator.toml: hoem is not a setting; the nearest is home. Correct it or remove it.",
        ),
        ('[glossator]\nhome = "x"', "glossator.toml: remove the line [glossator]"),
        ("[lifecycel.threads]\nin_view = 5", "lifecycel is not a setting; the nearest is lifecycle"),
        (
            '[lifecycle.threads]\narchive_after = 1\ndelete_after = "P1D"\nin_view = 5\narchive_aftr = 1',
            "threads.archive_aftr is not a setting; the nearest is archive_after",
        ),
    ],
)
def test_an_unknown_name_in_the_file_is_refused_with_the_nearest_name(
    empty_folder: Path, toml: str, said: str
):
    (empty_folder / "glossator.toml").write_text(toml)
    assert said in _refusal()


def test_a_program_that_misspells_a_setting_is_told_too():
    assert _refusal(hoem="x") == "hoem is not a setting; the nearest is home."


def test_what_is_known_is_read_from_both(empty_folder: Path, monkeypatch: pytest.MonkeyPatch):
    (empty_folder / "glossator.toml").write_text('port = 81\nhost = "0.0.0.0"\n')
    monkeypatch.setenv("GLOSSATOR_PORT", "82")
    monkeypatch.setenv("GLOSSATOR_TEST_ANYTHING", "ours")
    settings = load_settings()
    assert (settings.host, settings.port) == ("0.0.0.0", 82)


SECRETS = [name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation)]


@pytest.mark.parametrize("name", SECRETS)
def test_every_secret_may_stand_in_a_file(empty_folder: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    (empty_folder / "secret").write_text("from a file, with a new line\n")
    monkeypatch.setenv(f"GLOSSATOR_{name.upper()}_FILE", str(empty_folder / "secret"))
    assert getattr(load_settings(), name).get_secret_value() == "from a file, with a new line"


def test_a_file_that_is_missing_or_doubled_is_told(empty_folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GLOSSATOR_SECRET_FILE", str(empty_folder / "none"))
    assert _refusal().startswith("GLOSSATOR_SECRET_FILE: ")
    (empty_folder / "none").write_text("here it is, long enough")
    monkeypatch.setenv("GLOSSATOR_SECRET", "and here is another one")
    assert "are both set: remove one of them" in _refusal()


@pytest.mark.parametrize("text", ["https://a.example,https://b.example", '["https://a.example", "https://b.example"]',
                                  " https://a.example\n https://b.example\n"])  # fmt: skip
def test_a_list_is_written_with_commas_or_as_json(monkeypatch: pytest.MonkeyPatch, text: str):
    monkeypatch.setenv("GLOSSATOR_ANONYMOUS_ORIGINS", text)
    assert load_settings().anonymous_origins == ("https://a.example", "https://b.example")


def test_an_empty_list_is_none(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GLOSSATOR_TRUSTED_PROXIES", "")
    assert load_settings().trusted_proxies == ()


def test_openai_api_key_is_used_for_openai(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    settings = load_settings(model="gpt-5-mini")
    assert settings.model_api_key is not None
    assert settings.model_api_key.get_secret_value() == "sk-of-openai"
    assert settings.embedder_api_key == settings.model_api_key


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:11434/v1", "https://api.openai.com.example/v1", "https://api.groq.com/openai/v1"],
)
def test_openai_api_key_is_sent_to_nobody_else(monkeypatch: pytest.MonkeyPatch, address: str):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    settings = load_settings(model="some-model", model_base_url=address, embedder_base_url=address)
    assert settings.model_api_key is None
    assert settings.embedder_api_key is None


def test_a_key_in_the_settings_comes_before_openai_api_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.setenv("GLOSSATOR_MODEL_API_KEY", "sk-of-glossator")
    key = load_settings(model="gpt-5-mini").model_api_key
    assert key is not None
    assert key.get_secret_value() == "sk-of-glossator"
