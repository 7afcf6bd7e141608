import { writeFile } from "node:fs/promises";
import { EVENT_CATALOGUE } from "../src/start/event-catalogue.ts";
import { renderEventsPage } from "./events-page.ts";

await writeFile(new URL("../docs/reference/events.md", import.meta.url), renderEventsPage(EVENT_CATALOGUE));
