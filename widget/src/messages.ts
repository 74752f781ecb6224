/** The widget's own texts in every language that it supports. */

/** English, Urdu. */
const MESSAGES = {
  language: ["en", "ur"],
  direction: ["ltr", "rtl"],
  title: ["Ask the book", "کتاب سے پوچھیں"],
  close: ["Close", "بند کریں"],
  private: ["Private: nothing is kept", "نجی: کچھ محفوظ نہیں ہوتا"],
  conversation: ["Conversation", "گفتگو"],
  newChat: ["New conversation", "نئی گفتگو"],
  forget: ["Forget this one?", "یہ گفتگو مٹا دیں؟"],
  welcome: ["What would you like to know?", "آپ کیا جاننا چاہتے ہیں؟"],
  promise: ["Every answer comes from this book alone, with its own words beside it.", "ہر جواب صرف اسی کتاب سے آتا ہے، کتاب کے اپنے الفاظ کے ساتھ۔"],
  question: ["Ask a question", "سوال پوچھیں"],
  send: ["Send", "بھیجیں"],
  stop: ["Stop", "روکیں"],
  remove: ["Remove", "ہٹائیں"],
  full: ["Three are waiting already.", "تین سوال انتظار میں ہیں۔"],
  queued: ["Waits its turn", "انتظار میں"],
  searching: ["Searching the book", "کتاب میں تلاش جاری ہے"],
  writing: ["Writing", "جواب لکھا جا رہا ہے"],
  checking: ["Checking every sentence", "ہر جملہ جانچا جا رہا ہے"],
  reconnecting: ["The line dropped, coming back", "رابطہ دوبارہ جوڑا جا رہا ہے"],
  stopped: ["Stopped. What came so far is kept.", "روک دیا گیا۔ جو آ چکا، وہ محفوظ ہے۔"],
  again: ["Ask again", "دوبارہ پوچھیں"],
  retry: ["Asking again in # s", "# سیکنڈ میں دوبارہ پوچھا جائے گا"],
  unplugged: ["You are offline.", "آپ آف لائن ہیں۔"],
  offline: ["The line dropped. What came so far is kept.", "رابطہ ٹوٹ گیا۔ جو آ چکا، وہ محفوظ ہے۔"],
  unauthorized: ["This page’s key is not accepted here. Author: check the key and its origins.", "اس صفحے کی کلید یہاں قبول نہیں۔ مصنف: کلید اور اس کی سائٹیں دیکھیں۔"],
  busy: ["Many readers are asking now.", "بہت سے قارئین پوچھ رہے ہیں۔"],
  limited: ["Too many questions for now.", "ابھی بہت سے سوال ہو گئے۔"],
  too_long: ["This is too long.", "یہ بہت طویل ہے۔"],
  no_book: ["There is no book here yet.", "یہاں ابھی کوئی کتاب نہیں۔"],
  server: ["Something went wrong on our side.", "ہماری طرف کوئی خرابی ہے۔"],
  plainly: ["The book says this plainly", "کتاب یہ صاف کہتی ہے"],
  partly: ["The book says this in part", "کتاب یہ جزوی طور پر کہتی ہے"],
  not: ["The book does not say", "کتاب یہ نہیں بتاتی"],
  sources: ["Sources", "ماخذ"],
  nearest: ["Nearest in subject", "موضوع کے قریب ترین"],
  show: ["Show it in the book", "کتاب میں دکھائیں"],
  selection: ["Your selection", "آپ کا منتخب متن"],
  thisOnly: ["This passage only", "صرف یہ اقتباس"],
  wholeBook: ["Search the whole book", "پوری کتاب میں تلاش کریں"],
  confidence: ["Confidence", "اعتماد"],
  high: ["high", "زیادہ"],
  medium: ["medium", "درمیانہ"],
  low: ["low", "کم"],
  insufficient: ["too low", "ناکافی"],
  checked: ["Sentences the book carries", "کتاب سے ثابت جملے"],
  similarity: ["Similarity of the sources", "ماخذوں کی مماثلت"],
  writer: ["Written by", "لکھنے والا"],
  copy: ["Copy", "نقل کریں"],
  copied: ["Copied", "نقل ہو گیا"],
  helpful: ["Helpful", "مفید"],
  unhelpful: ["Not helpful", "غیر مفید"],
  missing: ["What was missing? (optional)", "کیا کمی تھی؟ (اختیاری)"],
  thanks: ["Thank you.", "شکریہ۔"],
  ask: ["Ask about this", "اس بارے میں پوچھیں"],
} as const;

export type Messages = Readonly<Record<keyof typeof MESSAGES, string>>;

export function messagesFor(language: string): Messages {
  const index = /^ur\b/i.test(language) ? 1 : 0;
  const texts = Object.entries(MESSAGES).map(([name, translations]) => [name, translations[index]]);
  return Object.fromEntries(texts) as Messages;
}
