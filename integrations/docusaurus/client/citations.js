import {matchPath} from '@docusaurus/router';
import routes from '@generated/routes';

/**
 * Goes where a citation of the widget leads without loading a page, if that is a page of this site; anything else, other
 * languages of the site among it, is left to the browser. Ends when the returned function is called.
 *
 * @param {import('history').History} history
 */
export function followCitations(history) {
  const follow = (event) => {
    const url = new URL(event.detail.url);
    if (url.origin !== window.location.origin || !isPage(decodeURI(url.pathname), routes)) return;
    event.preventDefault();
    history.push({pathname: url.pathname, search: url.search, hash: url.hash});
  };
  window.addEventListener('glossator:navigate', follow);
  return () => window.removeEventListener('glossator:navigate', follow);
}

function isPage(path, among) {
  return among.some((route) => route.path !== '*' && matchPath(path, route) && (!route.routes || isPage(path, route.routes)));
}
