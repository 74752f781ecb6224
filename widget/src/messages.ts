/** The widget's own texts in the reader's language, and how values are put into them. */

import { ar } from "./languages/ar";
import { de } from "./languages/de";
import { en } from "./languages/en";
import { es } from "./languages/es";
import { fr } from "./languages/fr";
import { hi } from "./languages/hi";
import { ur } from "./languages/ur";
import { zh } from "./languages/zh";

/** Languages with the same letters are neighbours, which makes the file smaller. */
const LANGUAGES: Readonly<Record<string, Texts>> = { en, fr, es, de, zh, ar, ur, hi };

/** A language has its texts in this order and without their names, because eight times the names would be 700 bytes. */
const NAMES = [
  "title", "close", "private", "conversation", "newChat", "back", "welcome", "promise", "next", "question", "send",
  "stop", "remove", "full", "queued", "searching", "writing", "checking", "reconnecting", "stopped", "again",
  "retry", "unplugged", "offline", "unauthorized", "busy", "limited", "too_long", "no_book", "server",
  "says", "unsure", "not", "sources", "nearest", "show", "selection", "thisOnly", "wholeBook", "confidence", "high",
  "medium", "low", "insufficient", "checked", "similarity", "composed", "written", "half", "wide", "copy", "copied",
  "helpful", "unhelpful", "missing", "thanks", "ask",
] as const;

type OneForEach<Names> = { readonly [Place in keyof Names]: string };
export type Texts = OneForEach<typeof NAMES>;

export type Messages = Readonly<Record<"language" | "direction" | (typeof NAMES)[number], string>>;

/** A text gives first the form for all other numbers, then as many of these as it needs. */
const PLURAL_FORMS = ["one", "two", "few", "many"];

/** The texts for a tag like `es-MX`; in English where the widget does not speak the language. */
export function messagesFor(tag: string): Messages {
  const [subtag = ""] = tag.toLowerCase().split(/[-_]/);
  const language = Object.hasOwn(LANGUAGES, subtag) ? subtag : "en";
  const texts = NAMES.map((name, place) => [name, LANGUAGES[language]![place]]);
  return { ...Object.fromEntries(texts), language, direction: /ar|ur/.test(language) ? "rtl" : "ltr" };
}

/** Puts the first value in place of `#1`; `#1{# books/# book}` is the plural form that it chooses. */
export function fill(text: string, { language }: Messages, ...values: readonly (string | number)[]): string {
  return text.replace(/#(\d)(?:{(.*?)})?/g, (_, place: number, forms: string = "#") => {
    const value = values[place - 1]!;
    const category = new Intl.PluralRules(language).select(+value);
    const [other, ...others] = forms.split("/");
    const form = others[PLURAL_FORMS.indexOf(category)] ?? other!;
    return form.replace("#", () => `${value}`);
  });
}
