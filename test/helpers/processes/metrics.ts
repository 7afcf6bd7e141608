import type { ServiceProcess } from "./service-process.ts";

/** What a process has counted since its start by a counter of whole numbers, over all its labels. */
export async function sumOfCounter(
  process: Pick<ServiceProcess, "listensAt">,
  name: string,
): Promise<number> {
  const text = await (await fetch(`${process.listensAt}/metrics`)).text();
  const counts = text.matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, "gm"));
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** One figure of a process as `/metrics` shows it; 0 before it was counted first. @param figure its name with labels */
export async function readMetric(url: string, figure: string): Promise<number> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split("\n");
  const line = lines.find((one) => one.startsWith(`${figure} `));
  return Number(line?.slice(figure.length + 1) ?? 0);
}
