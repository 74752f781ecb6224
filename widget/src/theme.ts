/** Whether the site is dark now: by what it says of itself, then by what the reader prefers. */

const SAYING = ["data-theme", "data-md-color-scheme", "data-bs-theme", "class"];
const SAID = /(?:^|\s)(?:(dark|slate|coal|navy|ayu)|light|default|rust)(?:\s|$)/;

/** Applies it at once and whenever it changes, until the function it returns is called. */
export function followTheme(theme: string, apply: (isDark: boolean) => void): () => void {
  const preference = matchMedia("(prefers-color-scheme: dark)");
  const look = (): void => apply(theme === "dark" || (theme !== "light" && (siteIsDark() ?? preference.matches)));
  const changes = new MutationObserver(look);
  for (const place of places()) changes.observe(place, { attributeFilter: [...SAYING, "style"] });
  preference.addEventListener("change", look);
  look();
  return () => {
    changes.disconnect();
    preference.removeEventListener("change", look);
  };
}

function places(): readonly HTMLElement[] {
  return [document.body, document.documentElement];
}

function siteIsDark(): boolean | undefined {
  for (const place of places()) {
    for (const attribute of SAYING) {
      const said = SAID.exec(place.getAttribute(attribute) ?? "");
      if (said) return !!said[1];
    }
  }
  // "light dark" is a site that leaves it to the reader.
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  return scheme === "dark" || (scheme === "light" ? false : undefined);
}
