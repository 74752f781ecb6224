/** One line on a page is enough: the script that loads this file has the attributes of the element. */

/** Puts one at the end of the page, unless the page has its own. */
export function placeByScript(name: string): void {
  const script = [...document.scripts].find(({ src }) => src === import.meta.url);
  if (!script || document.querySelector(name)) return;
  const element = document.createElement(name);
  for (const [attribute, said] of Object.entries(script.dataset)) element.setAttribute(attribute, said ?? "");
  document.body.append(element);
  stay(element);
}

/** Some sites change the whole body from page to page; it goes along. */
function stay(element: HTMLElement): void {
  const move = (): void => {
    if (!element.isConnected) document.body?.append(element);
  };
  new MutationObserver(move).observe(document.documentElement, { childList: true });
}
