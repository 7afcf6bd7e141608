/** The rules as Prometheus reads them, and their tests as promtool does. */
import { stringify } from "yaml";
import type { Rule } from "./rules.ts";

const HEADER = "# Written by `npm run monitoring` from scripts/monitoring/rules.ts.\n";
const TEXT = { lineWidth: 0 };
export const RULES_FILE = "slipway.rules.yml";

export function renderRules(rules: readonly Rule[]): string {
  const file = {
    groups: [
      {
        name: "slipway",
        rules: rules.map((rule) => ({
          alert: rule.alert,
          expr: rule.expr,
          for: rule.for,
          labels: { severity: rule.severity },
          annotations: { summary: rule.summary, description: rule.description },
        })),
      },
    ],
  };
  return `${HEADER}${stringify(file, TEXT)}`;
}

/** How long each example runs: beyond the longest `for`. */
const READ_AFTER = "90m";
const SHORT = "30m";

export function renderRuleTests(rules: readonly Rule[]): string {
  const tests = rules.flatMap((rule) => [
    { ...exampleOf(rule, "fires"), isFiring: true },
    { ...exampleOf(rule, "isQuiet"), isFiring: false },
  ]);
  const file = {
    rule_files: [RULES_FILE],
    evaluation_interval: "1m",
    tests: tests.map(({ isFiring, ...test }) => ({
      interval: "1m",
      name: `${test.rule.alert} ${isFiring ? "fires" : "is quiet"}`,
      input_series: Object.entries(test.series).map(([series, values]) => ({ series, values })),
      promql_expr_test: [
        {
          // An alert that fires is a series; how many of them there are is what is tried.
          expr: `count(ALERTS{alertname="${test.rule.alert}", alertstate="firing"}) or vector(0)`,
          eval_time: test.rule.for === "1h" ? READ_AFTER : SHORT,
          exp_samples: [{ labels: "{}", value: isFiring ? 1 : 0 }],
        },
      ],
    })),
  };
  return `${HEADER}${stringify(file, TEXT)}`;
}

function exampleOf(rule: Rule, kind: "fires" | "isQuiet") {
  return { rule, series: rule[kind] };
}
