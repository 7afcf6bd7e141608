import { writeFile } from "node:fs/promises";
import { renderErrorsMarkdown } from "../src/http/problems/error-pages.ts";

await writeFile(new URL("../docs/reference/errors.md", import.meta.url), renderErrorsMarkdown());
