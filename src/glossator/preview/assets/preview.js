// The theme, before the page is painted; then which section is being read. Without it the page works as well.
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const kept = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null;
    }
  };
  const keep = (theme) => {
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // Where nothing may be kept, the choice lasts for the page.
    }
  };
  const show = (theme) => {
    root.dataset.theme = theme;
    document.querySelector(".theme")?.setAttribute("aria-pressed", String(theme === "dark"));
  };
  const chosen = () => kept() ?? (dark.matches ? "dark" : "light");

  show(chosen());
  dark.addEventListener("change", () => show(chosen()));

  const offerThemes = () => {
    const button = document.querySelector(".theme");
    button.hidden = false;
    show(root.dataset.theme);
    button.addEventListener("click", () => {
      const theme = root.dataset.theme === "dark" ? "light" : "dark";
      keep(theme);
      show(theme);
    });
  };

  const markSections = () => {
    const links = new Map([...document.querySelectorAll(".sections a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
    const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
    const mark = () => {
      const line = innerHeight / 4;
      const atEnd = scrollY > 0 && innerHeight + scrollY >= root.scrollHeight - 2;
      const read = atEnd ? headings.at(-1) : headings.findLast((heading) => heading.getBoundingClientRect().top < line);
      for (const [id, link] of links) {
        if (id === read?.id) link.setAttribute("aria-current", "location");
        else link.removeAttribute("aria-current");
      }
    };
    addEventListener("scroll", mark, { passive: true });
    addEventListener("resize", mark, { passive: true });
    mark();
  };

  // Words that an answer cites must not lie behind the answer: on a wide sheet the text makes room for it.
  const makeRoom = () => {
    addEventListener("glossator:open", () => root.classList.add("asking"));
    addEventListener("glossator:close", () => root.classList.remove("asking"));
    customElements.whenDefined("glossator-chat").then(() => {
      const chat = document.querySelector("glossator-chat");
      root.classList.toggle("asking", Boolean(chat?.isOpen));
    });
  };

  const showPlaceInContents = () => {
    const contents = document.querySelector(".contents");
    const here = contents.querySelector("[aria-current]");
    if (here) contents.scrollTop = Math.max(0, here.offsetTop - contents.clientHeight / 2);
  };

  addEventListener("DOMContentLoaded", () => {
    offerThemes();
    markSections();
    makeRoom();
    showPlaceInContents();
    document.querySelector(".contents").addEventListener("toggle", showPlaceInContents);
  });
})();
