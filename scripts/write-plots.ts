/** `npm run plots`: draws every plot of the measurements. With `--check`, only says which of them is not what its data is. */
import { glob, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { drawPlot, type Plot } from "./plots.ts";

const FOLDER = path.join(import.meta.dirname, "../docs/measurements");
const isCheck = process.argv.includes("--check");
const stale: string[] = [];
for await (const file of glob("data/*.json", { cwd: FOLDER })) {
  const drawn = drawPlot(JSON.parse(await readFile(path.join(FOLDER, file), "utf8")) as Plot);
  const target = path.join(FOLDER, "plots", `${path.basename(file, ".json")}.svg`);
  if (!isCheck) await writeFile(target, drawn);
  else if ((await readFile(target, "utf8").catch(() => null)) !== drawn) stale.push(target);
}
if (stale.length > 0) {
  process.stderr.write(`Run npm run plots: ${stale.join(", ")} is not what its data is.\n`);
  process.exitCode = 1;
}
