import { readFile, writeFile } from "node:fs/promises";
import { renderConfigurationPage } from "./configuration-page.ts";

const page = new URL("../docs/reference/slipway-json.md", import.meta.url);
await writeFile(page, renderConfigurationPage(await readFile(page, "utf8")));
