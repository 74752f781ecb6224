/** The style sheets of the widget. They are not a <style>: a page may forbid those. */

import composer from "./composer.css";
import dark from "./dark.css";
import panel from "./panel.css";
import paper from "./paper.css";
import screens from "./screens.css";
import turn from "./turn.css";

export function styles(isDark: boolean): CSSStyleSheet[] {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(paper + panel + turn + composer + screens + (isDark ? dark : ""));
  return [sheet];
}
