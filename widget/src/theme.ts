/** Finds out whether the site is dark: from its own markup, else from the reader's preference. */

const THEME_ATTRIBUTES = ["data-theme", "data-md-color-scheme", "data-bs-theme", "class"];
const THEME_VALUE = /(?:^|\s)(?:(dark|slate|coal|navy|ayu)|light|default|rust)(?:\s|$)/;

/** Applies the theme at once and after every change. Returns a function that stops this. */
export function followTheme(theme: string, apply: (isDark: boolean) => void): () => void {
  const preference = matchMedia("(prefers-color-scheme: dark)");
  const update = (): void => apply(theme === "dark" || (theme !== "light" && (siteIsDark() ?? preference.matches)));
  const observer = new MutationObserver(update);
  for (const root of roots()) observer.observe(root, { attributeFilter: [...THEME_ATTRIBUTES, "style"] });
  preference.addEventListener("change", update);
  update();
  return () => {
    observer.disconnect();
    preference.removeEventListener("change", update);
  };
}

function roots(): readonly HTMLElement[] {
  return [document.body, document.documentElement];
}

function siteIsDark(): boolean | undefined {
  for (const root of roots()) {
    for (const attribute of THEME_ATTRIBUTES) {
      const match = THEME_VALUE.exec(root.getAttribute(attribute) ?? "");
      if (match) return !!match[1];
    }
  }
  // A site with "light dark" leaves the choice to the reader.
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  return scheme === "dark" || (scheme === "light" ? false : undefined);
}
