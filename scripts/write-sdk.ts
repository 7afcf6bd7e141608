import { mkdir, writeFile } from "node:fs/promises";
import { makeApiDocument } from "../src/start/api-document.ts";
import type { Document } from "./sdk/document.ts";
import { generateSdk } from "./sdk/generate.ts";

const folder = new URL("../sdk/src/generated/", import.meta.url);
const document = (await makeApiDocument("https://slipway.test")) as unknown as Document;
await mkdir(folder, { recursive: true });
for (const [file, text] of await generateSdk(document)) await writeFile(new URL(file, folder), text);
