import { writeFile } from "node:fs/promises";
import { ERROR_CATALOGUE } from "../src/start/error-catalogue.ts";
import { renderErrorsPage } from "./errors-page.ts";

await writeFile(new URL("../docs/reference/errors.md", import.meta.url), renderErrorsPage(ERROR_CATALOGUE));
