/**
 * Writes the files of `deploy/` that name metrics: Prometheus' rules, their tests, and Grafana's dashboard. With `--check`
 * it only says which are old. Part of `npm run check`.
 */
import { readFile, writeFile } from "node:fs/promises";
import { DASHBOARD } from "./monitoring/dashboard.ts";
import { renderDashboard } from "./monitoring/render-dashboard.ts";
import { renderRules, renderRuleTests, RULES_FILE } from "./monitoring/render-rules.ts";
import { RULES } from "./monitoring/rules.ts";

const FILES: Readonly<Record<string, string>> = {
  [`deploy/prometheus/${RULES_FILE}`]: renderRules(RULES),
  "deploy/prometheus/slipway.rules.test.yml": renderRuleTests(RULES),
  "deploy/grafana/slipway.json": renderDashboard(DASHBOARD),
};

for (const [file, text] of Object.entries(FILES)) {
  const at = new URL(`../${file}`, import.meta.url);
  if (!process.argv.includes("--check")) await writeFile(at, text);
  else if ((await readFile(at, "utf8").catch(() => "")) !== text) {
    process.stderr.write(`${file} is old: run npm run monitoring.\n`);
    process.exitCode = 1;
  }
}
