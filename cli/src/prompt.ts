import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { UsageError } from "./failure.ts";

/** Questions to a person. Without a terminal, what would be asked has to be given by a flag. */
export type Prompt = {
  /** Does not show what is typed. @throws UsageError if questions are not possible; `instead` says what to give */
  askSecret(question: string, instead: string): Promise<string>;
  /** @throws UsageError if the answer is no, or if questions are not possible and `--yes` was not given */
  confirm(question: string): Promise<void>;
};

export function createPrompt(
  { stdin, stderr }: { readonly stdin: NodeJS.ReadStream; readonly stderr: NodeJS.WriteStream },
  options: { readonly isAllowed: boolean; readonly isYes: boolean; readonly signal: AbortSignal },
): Prompt {
  const { isAllowed, isYes, signal } = options;
  const canAsk = isAllowed && stdin.isTTY && stderr.isTTY;
  const readLine = async (question: string, isHidden: boolean): Promise<string> => {
    stderr.write(question);
    // A terminal echoes what this writes, and nothing else.
    const output = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
    const lines = createInterface({ input: stdin, output, terminal: true });
    try {
      return await new Promise<string>((resolve, reject) => {
        lines.once("line", resolve);
        lines.once("close", () => reject(new UsageError("Nothing was typed.")));
        // In raw mode a terminal sends no signal for Ctrl-C.
        lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
        signal.addEventListener("abort", () => lines.close(), { once: true });
      });
    } finally {
      lines.close();
      if (isHidden) stderr.write("\n");
    }
  };
  const ask = async (question: string, instead: string, isHidden: boolean): Promise<string> => {
    if (!canAsk) throw new UsageError(instead);
    return (await readLine(`${question}: `, isHidden)).trim();
  };
  return {
    askSecret: (question, instead) => ask(question, instead, true),
    async confirm(question) {
      if (isYes) return;
      const answer = await ask(`${question} Type yes`, `${question} Give --yes to confirm.`, false);
      if (!/^y(?:es)?$/i.test(answer)) throw new UsageError("Nothing was done.");
    },
  };
}
