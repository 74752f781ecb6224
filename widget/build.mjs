/**
 * Builds the widget: one minified module, its source map and its types.
 *
 *     node build.mjs [--out DIR]        into the Python package, unless told otherwise
 *
 * The same source gives the same bytes on every machine and in every folder; a test holds the package to it.
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { generateDtsBundle } from "dts-bundle-generator";
import { build, transform } from "esbuild";
import { minify } from "terser";

const HERE = dirname(fileURLToPath(import.meta.url));
const ENTRY = join(HERE, "src", "index.ts");
const PACKAGE = join(HERE, "..", "src", "glossator", "web", "widget");
const TARGET = "es2022";
const BANNER = "/*! Glossator, Apache-2.0 */";

async function main() {
  const { values } = parseArgs({ options: { out: { type: "string", default: PACKAGE } } });
  const folder = resolve(values.out);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of [...(await bundled()), ["widget.d.ts", types()]]) {
    await writeFile(join(folder, name), text);
  }
}

/** The module and its map. Of the two minifiers each finds what the other does not. */
async function bundled() {
  const { code, map } = await joined();
  const sourceMap = { content: map, filename: "widget.js", url: "widget.js.map", includeSources: true };
  const format = { comments: false, preamble: BANNER };
  const compress = { passes: 3, keep_fargs: false, unsafe_arrows: true, unsafe_methods: true };
  const small = await minify({ "widget.js": code }, { module: true, ecma: 2020, compress, format, sourceMap });
  return [
    ["widget.js", `${small.code}\n`],
    ["widget.js.map", small.map],
  ];
}

/** Made in memory as if it stood here, so that no path in it tells where. */
async function joined() {
  const { outputFiles } = await build({
    absWorkingDir: HERE,
    entryPoints: [ENTRY],
    outfile: join(HERE, "widget.js"),
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: TARGET,
    charset: "utf8",
    sourcemap: "external",
    legalComments: "none",
    plugins: [minifiedStyles],
  });
  const textOf = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text;
  return { code: textOf(".js"), map: textOf(".map") };
}

/** `import css from "./styles.css"` is the text of the style sheet, minified. */
const minifiedStyles = {
  name: "minified styles",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const { code } = await transform(source, { loader: "css", minify: true, target: TARGET, charset: "utf8" });
      return { contents: code.trim(), loader: "text" };
    });
  },
};

/** What the module exports, in one file that needs no other. */
function types() {
  const entry = { filePath: ENTRY, output: { noBanner: true, exportReferencedTypes: false } };
  const [text] = generateDtsBundle([entry], { preferredConfigPath: join(HERE, "tsconfig.json") });
  return text;
}

await main();
