/** Sizes of instances: Fargate has some sizes, and Flightcontrol's older files give the memory in MB. Pure. */
import { changed, mapped, type Verdict, wrongForm } from "./flightcontrol-import.ts";

/** vCPUs, then the memory in GiB that Fargate offers with them: from, to, step. */
const SIZES: readonly (readonly [cpu: number, memory: readonly number[]])[] = [
  [0.25, [0.5, 1, 2]],
  [0.5, range(1, 4, 1)],
  [1, range(2, 8, 1)],
  [2, range(4, 16, 1)],
  [4, range(8, 30, 1)],
  [8, range(16, 60, 4)],
  [16, range(32, 120, 8)],
];
/** The most GiB that an instance may have; more is in MB. */
const GIB_MAX = 120;

function range(from: number, to: number, step: number): readonly number[] {
  return Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step);
}

export type Size = {
  /** What the proposal has; a field that the file does not have, or not as a number, is not in it. */
  readonly settings: { readonly cpu?: number; readonly memoryGb?: number };
  readonly cpu: Verdict;
  readonly memory: Verdict;
};

/** The smallest size that has at least what the file asks for. */
export function decideSize(cpu: unknown, memory: unknown): Size {
  const isCpu = isPositive(cpu) && cpu <= 16;
  const isMemory = isPositive(memory) && toGib(memory) <= GIB_MAX;
  const gib = isMemory ? toGib(memory) : 0;
  const asked = isCpu ? cpu : 0;
  const found = SIZES.flatMap(([cpus, memories]) => {
    const least = cpus >= asked ? memories.find((one) => one >= gib) : undefined;
    return least === undefined ? [] : [{ cpus, least }];
  })[0];
  const { cpus = 16, least = GIB_MAX } = found ?? {};
  return {
    settings: { ...(isCpu ? { cpu: cpus } : {}), ...(isMemory || isCpu ? { memoryGb: least } : {}) },
    cpu: !isCpu
      ? wrongForm("a number of vCPUs from 0.125 to 16")
      : cpus === cpu
        ? mapped()
        : changed(`Fargate has no size with ${cpu} vCPUs and this memory; the next one has ${cpus}.`),
    memory: !isMemory
      ? wrongForm("a memory size, in GB or in MB, of at most 120 GB")
      : least === memory
        ? changed("It is called memoryGb.")
        : changed(
            gib === memory
              ? `Fargate has no size with ${gib} GB and this CPU; memoryGb is ${least}.`
              : `It is in MB; memoryGb is ${least}.`,
          ),
  };
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && value > 0;
}

function toGib(memory: number): number {
  return memory > GIB_MAX ? memory / 1024 : memory;
}
