/** Lints the reference as the routes make it, for `npm run check`. */
import { formatProblems, getTotals } from "@redocly/openapi-core";
import { makeApiDocument } from "../src/start/api-document.ts";
import { lintOpenApi } from "./lint-openapi.ts";

const document = await makeApiDocument("https://slipway.test");
const problems = await lintOpenApi(document);
formatProblems(problems, {
  maxProblems: 1_000,
  totals: getTotals(problems),
  version: document.openapi,
  color: false,
});
if (problems.length > 0) process.exitCode = 1;
