/** Lints the reference as the routes make it, and holds the SDK against it, for `npm run check`. */
import { formatProblems, getTotals } from "@redocly/openapi-core";
import { makeApiDocument } from "../src/start/api-document.ts";
import { lintOpenApi } from "./lint-openapi.ts";
import type { Document } from "./sdk/document.ts";
import { findSdkFaults } from "./sdk/generate.ts";

const document = await makeApiDocument("https://slipway.test");
const problems = await lintOpenApi(document);
formatProblems(problems, {
  maxProblems: 1_000,
  totals: getTotals(problems),
  version: document.openapi,
  color: false,
});
const faults = await findSdkFaults(document as unknown as Document);
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (problems.length + faults.length > 0) process.exitCode = 1;
