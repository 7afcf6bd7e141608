import type { WorkloadSize } from "../../../../platform.ts";

/**
 * The sizes of Fargate: GiB from, to and in steps of, by CPU units
 * (https://docs.aws.amazon.com/AmazonECS/latest/developerguide/fargate-tasks-services.html#fargate-tasks-size).
 */
const SIZES: ReadonlyMap<number, readonly [number, number, number]> = new Map([
  [256, [0.5, 2, 0.5]],
  [512, [1, 4, 1]],
  [1_024, [2, 8, 1]],
  [2_048, [4, 16, 1]],
  [4_096, [8, 30, 1]],
  [8_192, [16, 60, 4]],
  [16_384, [32, 120, 8]],
]);

/** The size in CPU units and MiB, as in a task definition; null if Fargate does not offer it. Pure. */
export function fargateSize({
  cpu,
  memoryGb,
}: Pick<WorkloadSize, "cpu" | "memoryGb">): { Cpu: string; Memory: string } | null {
  const [from, to, step] = SIZES.get(cpu * 1_024) ?? [0, -1, 1];
  const isOffered = memoryGb >= from && memoryGb <= to && (memoryGb - from) % step === 0;
  // The smallest CPU only has 0.5, 1 and 2 GiB.
  if (!isOffered || (cpu === 0.25 && memoryGb === 1.5)) return null;
  return { Cpu: String(cpu * 1_024), Memory: String(memoryGb * 1_024) };
}
