import { styleText } from "node:util";

type Out = NodeJS.WriteStream;
const LABEL_WIDTH = 37;

/** Prints one line for each step: its mark, its time, its name and its result. */
export type Lines = {
  heading(text: string): void;
  /** Runs a step. A terminal shows its name while it runs. The result of `work` becomes the end of the line. */
  step(label: string, work: () => Promise<string>): Promise<void>;
};

/** @param out gets colours only if it is a terminal and `NO_COLOR` is unset, as `styleText` decides */
export function createLines(out: Out): Lines {
  const style = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream: out });
  const line = (mark: string, time: string, label: string, text: string): string =>
    `  ${mark} ${style("dim", time.padStart(7))}  ${label.padEnd(LABEL_WIDTH)} ${style("dim", text)}\n`;
  const replaceLine = (): void => {
    if (out.isTTY) out.write("\r\u001B[2K");
  };
  return {
    heading(text) {
      out.write(`\n  ${style("bold", text)}\n\n`);
    },
    async step(label, work) {
      const startedAt = performance.now();
      const time = (): string => `${((performance.now() - startedAt) / 1_000).toFixed(2)} s`;
      if (out.isTTY) out.write(`  ${style("cyan", "…")}          ${label}`);
      try {
        const result = await work();
        replaceLine();
        out.write(line(style("green", "✓"), time(), label, result));
      } catch (error) {
        replaceLine();
        out.write(line(style("red", "✗"), time(), label, "failed"));
        throw error;
      }
    },
  };
}
