"""Pages as the site generators of this world write them, with words in them that answers cite."""

from __future__ import annotations

_HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>A book</title>
<style>.navbar, .md-header {{ position: sticky; top: 0; height: 60px; background: #ddd }} .gap {{ height: 1500px }}{style}</style>
<body>"""
_WIDGET = '<script type="module" src="/widget.js"></script></body></html>'


def _site(body: str, style: str = "") -> str:
    return _HEAD.format(style=style) + body + _WIDGET


_KATEX = (
    '<span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>e</mi>'
    '<mo>=</mo><msub><mi>q</mi><mi>d</mi></msub></mrow><annotation encoding="application/x-tex">e = q_d</annotation></semantics>'
    '</math></span><span class="katex-html" aria-hidden="true"><span class="base"><span class="mord mathnormal">e</span>'
    '<span class="mrel">=</span><span class="mord">q<span class="vlist">d</span></span></span></span></span>'
)

DOCUSAURUS = _site(
    f"""
<div id="__docusaurus"><nav class="navbar"><a href="/">A lifecycle publisher silently drops messages</a></nav>
<aside class="theme-doc-sidebar-container"><nav aria-label="Docs sidebar"><ul><li>Lifecycle nodes: starting in a known order</li></ul></nav></aside>
<main><article><div class="theme-doc-markdown markdown"><header><h1>Nodes</h1></header>
<p>A lifecycle publisher silently drops messages unless the node is Active.</p><div class="gap"></div>
<h2 class="anchor anchorWithStickyNavbar_LWe7" id="lifecycle">Lifecycle nodes: starting in a known order<a href="#lifecycle" class="hash-link"
 aria-label="Direct link to Lifecycle nodes">​</a></h2>
<p>A <em>lifecycle node</em>, also called a “managed node”, has a
state machine — see <a href="/docs/x">the states</a> and <code>rclcpp&lt;Node&gt;</code>.<sup><a href="#fn-1">1</a></sup></p>
<p>A lifecycle publisher silently drops messages unless the node is Active.</p>
<p>It computes its output from the error {_KATEX} by three terms, and no more.</p>
<div class="theme-admonition theme-admonition-warning alert"><div class="admonitionHeading_Gvgb"><span class="admonitionIcon_Rf37"><svg
 viewBox="0 0 16 16"></svg></span>Mind the order</div><div class="admonitionContent_BuS1"><p>Configure it before you activate it.</p></div></div>
<div class="language-python codeBlockContainer_Ckt0"><div class="codeBlockContent_m3Ux"><pre tabindex="0" class="prism-code language-python"
><code class="codeBlockLines_e6Vv"><span class="token-line"><span class="token keyword">import</span><span class="token plain"> rclpy</span><br></span><span
 class="token-line"><span class="token plain" style="display:inline-block"></span><br></span><span class="token-line"><span class="token plain">node </span><span
 class="token operator">=</span><span class="token plain"> rclpy</span><span class="token punctuation">.</span><span class="token plain">create_node</span><span
 class="token punctuation">(</span><span class="token string">"listener"</span><span class="token punctuation">)</span><br></span></code></pre><div
 class="buttonGroup__atx"><button type="button">Copy</button></div></div></div>
<table><thead><tr><th>State</th><th>Publishes</th></tr></thead><tbody><tr><td>Inactive</td><td>nothing</td></tr><tr><td>Active</td><td>all of it</td></tr></tbody></table>
<ol><li>Call <code>configure</code> on the node.</li><li>Then call <code>activate</code> on it.</li></ol>
<div class="tabs-container"><ul role="tablist"><li role="tab">C++</li><li role="tab">Python</li></ul><div>
<div role="tabpanel"><p>In this language a node is an object with a shared pointer.</p></div>
<div role="tabpanel" hidden><p>In that language a node is garbage that is collected.</p></div></div></div>
<details class="details_lb9f" data-collapsed="true"><summary>More of it</summary><div style="display: none"><p>Folded words are words as well,
 and can be cited.</p></div></details>
<div class="gap"></div></div></article></main></div>
<script>
  // Docusaurus opens its details by itself, when somebody clicks.
  const details = document.querySelector("details");
  details.querySelector("summary").addEventListener("click", (event) => {{
    event.preventDefault();
    details.open = true;
    details.querySelector("div").style.display = "block";
  }});
</script>"""
)

MKDOCS = _site(
    """
<header class="md-header"></header><div class="md-container"><main class="md-main"><div class="md-main__inner md-grid">
<div class="md-sidebar"><nav class="md-nav" aria-label="Table of contents"><ul><li>Quality of service</li></ul></nav></div>
<div class="md-content"><article class="md-content__inner md-typeset"><h1 id="topics">Topics<a class="headerlink" href="#topics" title="Permanent link">¶</a></h1>
<div class="gap"></div><h2 id="qos">Quality of service<a class="headerlink" href="#qos" title="Permanent link">¶</a></h2>
<div class="admonition note"><p class="admonition-title">Both sides count</p><p>The publisher offers a level of service, the subscription requests one.</p></div>
<p>The speed is <span class="arithmatex">\\(v = s/t\\)</span> as long as nothing stands in the way.</p>
<div class="highlight"><table class="highlighttable"><tbody><tr><td class="linenos"><div class="linenodiv"><pre><span></span><span class="normal">1</span>
<span class="normal">2</span></pre></div></td><td class="code"><div><pre id="__code_0"><span></span><button class="md-clipboard md-icon" title="Copy"></button><code><span
 class="n">qos</span> <span class="o">=</span> <span class="n">QoSProfile</span><span class="p">(</span><span class="n">depth</span><span class="o">=</span><span class="mi">10</span><span class="p">)</span>
<span class="n">qos</span><span class="o">.</span><span class="n">reliability</span> <span class="o">=</span> <span class="n">RELIABLE</span>
</code></pre></div></td></tr></tbody></table></div>
<details class="quote"><summary>An aside</summary><p>What is folded in plain HTML opens without a script.</p></details>
<div class="tabbed-set"><input checked type="radio" name="t" id="t1"><input type="radio" name="t" id="t2"><div class="tabbed-content">
<div class="tabbed-block"><p>Shown is the first of the tabs.</p></div><div class="tabbed-block" style="display: none"><p>Hidden is the second of the tabs.</p></div></div></div>
<p>Urdu: <span dir="rtl">روبوٹ ایک مشین ہے جو محسوس کرتی ہے اور عمل کرتی ہے۔</span> Résumé naïve café.</p>
<div class="gap"></div></article></div></div></main></div>"""
)

APP = _site(
    """
<main><h1>Home</h1><a id="away" href="/docs/there">there</a><p>What is here.</p></main>
<script>
  // A site of a single page: it goes elsewhere without loading anything, and takes its time.
  addEventListener("glossator:navigate", (event) => {
    const { pathname, hash } = new URL(event.detail.url);
    event.preventDefault();
    history.pushState(null, "", pathname + hash);
    window.wentTo = event.detail.url;
    setTimeout(() => draw("<h1>There</h1><p>A page that is still being drawn.</p>"), 100);
    setTimeout(() => draw("<h1>There</h1><div class=gap></div><h2 id=place>The place</h2><p>The words that were cited stand here now.</p><div class=gap></div>"), 400);
    setTimeout(() => draw("<h1>There</h1><div class=gap></div><h2 id=place>The place</h2><p>The words that were cited stand <b>here</b> now.</p><div class=gap></div>"), 900);
  });
  const draw = (html) => { document.querySelector("main").innerHTML = html; };
</script>"""
)

SHELL = _site(
    """<main id="pane"><h1>Shell</h1><div class="gap"></div><p id="deep">Words in a pane that scrolls by itself.</p><div class="gap"></div></main>""",
    "html, body { height: 100%; margin: 0; overflow: hidden } #pane { height: 100%; overflow: auto; box-sizing: border-box }",
)
