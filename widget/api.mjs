/**
 * Writes src/api.ts: the types of all requests and replies, from the server's OpenAPI document.
 *
 *     node api.mjs [--out FILE]
 */

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import openapiTS, { astToString } from "openapi-typescript";

const HERE = dirname(fileURLToPath(import.meta.url));
const DOCUMENT = join(HERE, "..", "tests", "web", "openapi", "native.json");
const HEADER = "// Made by `npm run api` out of the server's OpenAPI document; not edited by hand.\n\n";

const { values } = parseArgs({ options: { out: { type: "string", default: join(HERE, "src", "api.ts") } } });
const document = JSON.parse(await readFile(DOCUMENT, "utf8"));
const types = await openapiTS(document, { immutable: true, defaultNonNullable: false, alphabetize: true });
await writeFile(values.out, HEADER + astToString(types));
