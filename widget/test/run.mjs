/**
 * Runs a file of tests in node.
 *
 *     node test/run.mjs NAME FOLDER        bundles test/NAME.test.ts into the folder, and runs it there
 */

import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const [name, folder] = process.argv.slice(2);
const outfile = join(resolve(folder), `${name}.test.mjs`);
await build({
  entryPoints: [join(dirname(fileURLToPath(import.meta.url)), `${name}.test.ts`)],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  sourcemap: "inline",
});
await import(pathToFileURL(outfile).href);
