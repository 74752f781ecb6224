/** Runs in the page under test: shows hostile answers, and tells what is there that should not be, and what has run. */
((ofText, dress) => {
  const ANSWER = ".answer, .preview blockquote";
  const LOADING = /^(?:script|style|link|meta|base|img|image|iframe|object|embed|form|video|audio|source|template|use)$/;
  const ACTING = /^on|^(?:src|srcset|srcdoc|action|formaction|ping|data|poster|xlink:href)$/;
  const ofAnswer = Object.fromEntries(
    [...Object.keys(ofText), ...Object.keys(dress)].map((name) => [name, [...(ofText[name] ?? []), ...(dress[name] ?? [])]]),
  );
  const did = [];

  window.pwned = (what) => did.push(`pwned ${what}`);
  window.open = (what) => did.push(`opened ${what}`);
  addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
    did.push(`violation ${violatedDirective} ${blockedURI} ${sample}`);
  });

  const isListed = ({ localName, attributes }, list) =>
    localName in list && [...attributes].every(({ name }) => list[localName].includes(name));
  const isLeading = (element) => element.hasAttribute("href") && !/^https?:$/.test(element.protocol);
  const isLoading = (element) =>
    LOADING.test(element.localName) ||
    [...element.attributes].some(({ name, value }) => ACTING.test(name) || (name === "style" && /url|image/.test(value)));
  const isOffence = (element, list) => isLeading(element) || isLoading(element) || (list && !isListed(element, list));
  const withInner = (node) => (node instanceof Element ? [node, ...node.querySelectorAll("*")] : []);
  const told = (elements, listOf) =>
    elements.filter((element) => isOffence(element, listOf(element))).map(({ outerHTML }) => outerHTML.slice(0, 300));

  const offencesOfText = (box) => told([...box.querySelectorAll("*")], () => ofText);
  const offencesOfWidget = (elements) => told(elements, (element) => (element.parentElement?.closest(ANSWER) ? ofAnswer : null));
  const shadow = () => document.querySelector("glossator-chat").shadowRoot;

  /** Every answer as it grows; each stays in the page, where it could do what it wants to. */
  const render = (answers) => {
    const marks = (n) => (n < 9 ? document.createElement("mark") : null);
    return answers.flatMap((claims) =>
      claims.flatMap((_, index) => {
        const box = document.createElement("div");
        box.append(markdown.render(claims.slice(0, index + 1).join(""), marks, (href) => href, index < claims.length - 1));
        document.body.append(box);
        return offencesOfText(box);
      }),
    );
  };

  const changed = ({ type, target, addedNodes }) => (type === "attributes" ? [target] : [...addedNodes].flatMap(withInner));

  /** Asks one after the other, and looks at every place that an answer names. */
  const ask = async (batch) => {
    const chat = document.querySelector("glossator-chat");
    const found = [];
    const observer = new MutationObserver((records) => found.push(...offencesOfWidget(records.flatMap(changed))));
    observer.observe(shadow(), { subtree: true, childList: true, attributes: true });
    for (const { question, isAnswered } of batch) {
      const ended = new Promise((resolve) => chat.addEventListener("glossator:answer", resolve, { once: true }));
      if (!chat.ask(question)) found.push(`not asked: ${question}`);
      const { detail: asked } = await ended;
      found.push(...look([...shadow().querySelectorAll("article")].at(-1), asked.answer));
      if (isAnswered !== Boolean(asked.answer)) found.push(`not answered: ${question}`);
    }
    observer.disconnect();
    return found;
  };

  const look = (turn, answer) => {
    const found = turn.querySelector(".answer").textContent.trim() ? [] : ["shows nothing"];
    for (const mark of turn.querySelectorAll("button.mark")) {
      mark.focus();
      const { url } = answer.citations.find(({ n }) => `${n}` === mark.dataset.n);
      if (!isWeb(url)) mark.click();
    }
    for (const link of turn.querySelectorAll(".places a")) if (!isWeb(link.getAttribute("href") ?? "javascript:")) link.click();
    turn.querySelector(".verdict")?.click();
    return [...found, ...offencesOfWidget([...shadow().querySelectorAll(".preview *")])];
  };

  const isWeb = (url) => URL.canParse(url, document.baseURI) && /^https?:$/.test(new URL(url, document.baseURI).protocol);

  /** Begins a new conversation, as a reader does. */
  const beginAnew = () => {
    shadow().querySelector(".new").click();
    return shadow().querySelectorAll("article").length;
  };

  window.watch = { did, render, ask, beginAnew, offences: () => offencesOfWidget([...shadow().querySelectorAll("*")]) };
})
