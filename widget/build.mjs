/**
 * Builds the widget: one minified module, its source map and its types.
 *
 *     node build.mjs [--out DIR]        by default into the Python package
 *
 * The same source gives the same bytes on every machine and in every folder; a test checks that.
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
  for (const [name, text] of [...(await minified()), ["widget.d.ts", types()]]) {
    await writeFile(join(folder, name), text);
  }
}

/** The module and its source map. Two minifiers, because each finds what the other does not. */
async function minified() {
  const { code, map } = await bundled();
  const sourceMap = { content: map, filename: "widget.js", url: "widget.js.map", includeSources: true };
  const format = { comments: false, preamble: BANNER };
  const compress = { passes: 6, keep_fargs: false, unsafe_arrows: true, unsafe_methods: true };
  const small = await minify({ "widget.js": code }, { module: true, ecma: 2020, compress, format, sourceMap });
  return [
    ["widget.js", `${small.code}\n`],
    ["widget.js.map", small.map],
  ];
}

/** Built in memory as if the output were in this folder, so that the map contains no path of this machine. */
async function bundled() {
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

/** Makes `import css from "./base.css"` the minified text of the style sheet. */
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

/** The types of the module's exports in one file. */
function types() {
  const entry = { filePath: ENTRY, output: { noBanner: true, exportReferencedTypes: false } };
  const [text] = generateDtsBundle([entry], { preferredConfigPath: join(HERE, "tsconfig.json") });
  return text;
}

await main();
