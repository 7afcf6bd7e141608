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
