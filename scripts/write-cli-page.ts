import { writeFile } from "node:fs/promises";
import { renderCommandPage } from "./cli-page.ts";

await writeFile(new URL("../docs/reference/cli.md", import.meta.url), renderCommandPage());
