/** The alerts, as Prometheus' own program reads them and tries them. */
import { it } from "node:test";
import { runTool } from "./run-tool.ts";

const FOLDER = "deploy/prometheus";

it("promtool accepts the rules", async () => {
  await runTool("promtool", ["check", "rules", `${FOLDER}/slipway.rules.yml`]);
});

it("each alert fires by its example, and not by the other", async () => {
  await runTool("promtool", ["test", "rules", `${FOLDER}/slipway.rules.test.yml`]);
});
