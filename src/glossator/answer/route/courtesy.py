"""Recognises messages that are only greetings or thanks, in several languages, and replies to them."""

from __future__ import annotations

import re
import unicodedata
from enum import Enum, auto
from functools import cache

from glossator.answer import wording
from glossator.model import Route
from glossator.text.words import word_spans, words


class Courtesy(Enum):
    GREETING = auto()
    THANKS = auto()
    NOD = auto()
    """`Great`, `I see`: thanks if something was answered before, otherwise an ordinary word."""


_GREETINGS = """
    hi; hello; hey; hiya; howdy; yo; greetings; good morning; good afternoon; good evening; good day; morning;
    how are you; how are you doing; how are you today; how do you do; how is it going; how's it going;
    hows it going; what's up; whats up; sup; nice to meet you; pleased to meet you
    ; salam; salaam; slm; aoa; assalamualaikum; assalamu alaikum; assalam o alaikum; assalam alaikum;
    as salamu alaikum; asalam o alaikum; salam alaikum; walaikum assalam; adaab; aap kaise hain; kya haal hai
    ; السلام علیکم; السلام عليكم; وعلیکم السلام; سلام; آداب; ہیلو; مرحبا; اهلا; أهلا وسهلا; صباح الخير
    ; namaste; namaskar; नमस्ते; नमस्कार
    ; hola; buenos dias; buenas tardes; buenas noches; buenas; que tal; como estas
    ; bonjour; bonsoir; salut; coucou; ca va; comment ca va; comment allez vous
    ; hallo; guten tag; guten morgen; guten abend; grüß gott; servus; moin; wie geht es dir; wie geht's
    ; ciao; buongiorno; buonasera; come stai; olá; oi; bom dia; boa tarde; boa noite; tudo bem
    ; merhaba; selam; günaydın; привет; здравствуйте; добрый день
    ; 你好; 您好; こんにちは; おはよう; おはようございます; 안녕하세요; 안녕
"""
_THANKS = """
    thanks; thank you; thank u; thankyou; thx; thnx; ty; tysm; many thanks; thanks a lot; thanks a million;
    much appreciated; appreciate it; i appreciate it; i appreciate that; cheers
    ; bye; bye bye; goodbye; good bye; see you; see you later; good night; have a nice day; have a good day
    ; shukriya; shukria; shukran; bohat shukriya; bahut shukriya; bohot shukriya; meherbani; mehrbani;
    jazakallah; jazak allah; jazakallah khair; allah hafiz; khuda hafiz
    ; شکریہ; بہت شکریہ; مہربانی; جزاک اللہ; اللہ حافظ; خدا حافظ; شكرا; شكرا جزيلا; धन्यवाद; शुक्रिया; dhanyavad
    ; gracias; muchas gracias; mil gracias; adios; hasta luego; merci; merci beaucoup; merci bien; au revoir
    ; danke; danke schön; danke sehr; vielen dank; tschüss; auf wiedersehen
    ; grazie; grazie mille; obrigado; obrigada; muito obrigado; teşekkürler; teşekkür ederim
    ; спасибо; большое спасибо; пока; 谢谢; 多谢; ありがとう; ありがとうございます; 감사합니다; 고마워요
"""
_NODS = """
    ok; okay; great; perfect; awesome; cool; nice; good; wonderful; excellent; amazing; brilliant; got it;
    i see; understood; i understand; makes sense; that makes sense; makes sense now; that helps; that helped;
    that was helpful; very helpful; helpful; good answer; great answer; nice answer; you're welcome; alright;
    all right; sure; yes; no; yep; nope; fine; sounds good; theek hai; thik hai; acha; accha; ٹھیک ہے; اچھا;
    vale; d'accord; alles klar; va bene
"""
_FILLERS = """
    there; all; again; everyone; everybody; folks; guys; team; bot; chatbot; assistant; robot; glossator; ai;
    friend; my friend; sir; madam; ma'am; dear; mate; buddy; teacher; professor; so much; very much; a lot;
    a bunch; for; your; the; that; this; help; answer; explanation; reply; time; info; information; to you;
    too; you; oh; well; really; and; now; then; today; ji; bhai; dost; yaar; sahib; jan; amigo; amigos;
    tout le monde; mon ami; zusammen; à tous; beaucoup; sehr; mucho; moltissimo
"""
_MOST_WORDS = 12
_LONGEST = 200
"""Characters: twelve words of courtesy are shorter, and folding the accents of a long text is quadratic."""
_MARK = re.compile(r"\s*[,.!;:?…\n)\-–—]|\s*$")


def courtesy(message: str) -> Courtesy | None:
    """The kind of a message that is nothing but courtesy; otherwise None."""
    if len(message) > _LONGEST:
        return None
    message_words = words(_folded(message))
    if not 0 < len(message_words) <= _MOST_WORDS:
        return None
    kinds = _phrase_kinds(message_words)
    if kinds is None:
        return None
    return next((kind for kind in (Courtesy.THANKS, Courtesy.GREETING, Courtesy.NOD) if kind in kinds), None)


def without_courtesy(message: str) -> str:
    """The question after `Hi,` or `Thanks!`; punctuation must separate them, unlike in `Hello World`."""
    spans = word_spans(message)
    for count in range(min(len(spans) - 1, _MOST_WORDS), 0, -1):
        end = spans[count - 1].end
        mark = _MARK.match(message, end)
        if mark and courtesy(message[:end]):
            return message[mark.end() :].strip()
    return message


def _phrase_kinds(message_words: list[str]) -> set[Courtesy] | None:
    """The kinds of its phrases; None if a word belongs to no phrase."""
    kinds, position = set[Courtesy](), 0
    while position < len(message_words):
        for length in range(min(5, len(message_words) - position), 0, -1):
            phrase = tuple(message_words[position : position + length])
            if phrase in _phrases():
                kind = _phrases()[phrase]
                kinds |= {kind} if kind else set()
                position += length
                break
        else:
            return None
    return kinds


@cache
def _phrases() -> dict[tuple[str, ...], Courtesy | None]:
    listed = (
        (_FILLERS, None),
        (_NODS, Courtesy.NOD),
        (_GREETINGS, Courtesy.GREETING),
        (_THANKS, Courtesy.THANKS),
    )
    return {
        tuple(words(_folded(phrase))): kind
        for phrases, kind in listed
        for phrase in phrases.split(";")
        if phrase.strip()
    }


def _folded(text: str) -> str:
    """Removes accents and case; applied to both sides of every comparison."""
    parts = unicodedata.normalize("NFKD", text.replace("’", "'"))
    return "".join(part for part in parts if unicodedata.category(part) != "Mn").casefold()


def reply(route: Route, book: str) -> str:
    """The fixed reply to small talk. Raises ValueError for any other route."""
    match route:
        case Route.GREETING:
            return wording.greeting(book)
        case Route.THANKS:
            return wording.thanks(book)
        case Route.ABILITIES:
            return wording.abilities(book)
        case _:
            raise ValueError(f"{route} is no small talk")
