/** The widget's styles as a constructed style sheet, because a page's policy may forbid `<style>`. */

import base from "./base.css";
import composer from "./composer.css";
import dark from "./dark.css";
import media from "./media.css";
import panel from "./panel.css";
import turn from "./turn.css";

export function styles(isDark: boolean): CSSStyleSheet[] {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(base + panel + turn + composer + media + (isDark ? dark : ""));
  return [sheet];
}
