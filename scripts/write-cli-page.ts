import { writeFile } from "node:fs/promises";
import { renderCommandPage } from "../cli/src/table/page.ts";

await writeFile(new URL("../docs/reference/cli.md", import.meta.url), renderCommandPage());
