/** The dashboard as Grafana imports it. https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/ */
import { METRICS } from "../../src/start/metric-catalogue.ts";
import type { DASHBOARD, Panel } from "./dashboard.ts";

/** Grafana's grid has this many columns. */
const COLUMNS = 24;
const ROW_HEIGHT = 1;
const PANEL_HEIGHT = 8;

export function renderDashboard(rows: typeof DASHBOARD): string {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: inRow } of rows) {
    panels.push({
      id: panels.length + 1,
      type: "row",
      title,
      collapsed: false,
      panels: [],
      gridPos: at(0, y, COLUMNS, ROW_HEIGHT),
    });
    y += ROW_HEIGHT;
    const width = COLUMNS / inRow.length;
    for (const [index, panel] of inRow.entries())
      panels.push({
        id: panels.length + 1,
        gridPos: at(index * width, y, width, PANEL_HEIGHT),
        ...timeSeries(panel),
      });
    y += PANEL_HEIGHT;
  }
  const dashboard = {
    uid: "slipway",
    title: "Slipway",
    description: "Written by `npm run monitoring` from scripts/monitoring/dashboard.ts.",
    tags: ["slipway"],
    schemaVersion: 38,
    version: 1,
    editable: true,
    graphTooltip: 1,
    time: { from: "now-6h", to: "now" },
    refresh: "30s",
    timezone: "",
    templating: { list: VARIABLES },
    annotations: { list: [] },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

const DATASOURCE = { type: "prometheus", uid: "${datasource}" };

const VARIABLES = [
  { name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus", hide: 0 },
  {
    name: "instance",
    label: "Process",
    type: "query",
    datasource: DATASOURCE,
    definition: `label_values(${METRICS.connections.name}, instance)`,
    query: { query: `label_values(${METRICS.connections.name}, instance)`, refId: "instances" },
    includeAll: true,
    allValue: ".*",
    multi: true,
    current: { text: "All", value: "$__all" },
    refresh: 2,
    sort: 1,
  },
];

function at(x: number, y: number, w: number, h: number) {
  return { x, y, w, h };
}

function timeSeries({ title, says, unit, queries }: Panel) {
  return {
    type: "timeseries",
    title,
    description: says,
    datasource: DATASOURCE,
    fieldConfig: {
      defaults: { unit, min: 0, custom: { drawStyle: "line", fillOpacity: 10, showPoints: "never" } },
      overrides: [],
    },
    options: {
      legend: { displayMode: "list", placement: "bottom" },
      tooltip: { mode: "multi", sort: "desc" },
    },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCodePoint(("A".codePointAt(0) as number) + index),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
    })),
  };
}
