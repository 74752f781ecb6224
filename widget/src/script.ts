/** Lets a page use the widget with one `<script>`, whose `data-` attributes become the element's attributes. */

/** Appends the element to the page, unless the page has its own. */
export function insertFromScript(name: string): void {
  const script = [...document.scripts].find(({ src }) => src === import.meta.url);
  if (!script || document.querySelector(name)) return;
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(script.dataset)) element.setAttribute(attribute, value ?? "");
  document.body.append(element);
  keepInBody(element);
}

/** Some sites replace the whole `<body>` when they navigate; the element moves to the new one. */
function keepInBody(element: HTMLElement): void {
  const reinsert = (): void => {
    if (!element.isConnected) document.body?.append(element);
  };
  new MutationObserver(reinsert).observe(document.documentElement, { childList: true });
}
